/**
 * Who may do what: for each table, whose rows a Lambda or an operator sees, and what they may do with which columns. It is all that grants
 * and policies come from (grants.ts). Every Lambda has a role, and so have operators.
 *
 * `own` sees the rows of the organization that the transaction has entered, `every` those of all. A line without columns means all of them.
 * `@searching` are the four Lambdas that search, and `@lease` are the columns of a lease. Operators read every organization's rows, and
 * change them only while an action of their login is open. `execute` names functions, with all arguments that they take or took in the
 * previous release.
 *
 * Row-level security is the second protection: every statement already names the organization. It doesn't cover foreign keys and unique
 * checks; their composite keys start with organization_id instead.
 */
export const access = `
agents
  own: @searching agents chunks crawler documents embedding questions
  every: sweeper
  select: dashboard operator
  select: agents: name knowledge_base_enabled created_at model_waiting
  select: embedding: knowledge_base_enabled former_until model_due_at
  select: agents chunks embedding: next_model former_model
  select: mcp platforms: knowledge_base_enabled
  select: sweeper: organization_id id model_due_at time_zone holidays holidays_due_at
  select: mcp platforms search: organization_id id name model time_zone holidays
  select: agents chunks embedding questions: model
  select: agents chunks crawler documents embedding questions: organization_id id knowledge_version time_zone holidays
  insert: agents dashboard operator: organization_id id name time_zone holidays
  update: embedding: model former_model former_until model_due_at model_waiting
  update: agents dashboard: name time_zone holidays missing_holidays holidays_due_at
  update: sweeper: model_due_at missing_holidays holidays_due_at
  delete: operator

api_keys
  own: dashboard documents
  select: dashboard operator: organization_id id name permissions expires_at revoked_at created_by created_at created_by_person
  select: documents: organization_id id name
  insert: dashboard operator: organization_id id name key_hash permissions expires_at created_by created_by_person
  update: dashboard operator: revoked_at
  delete: operator

calls
  select delete: dashboard operator
  update: dashboard operator: deleted_at

chunk_terms
  own: @searching chunks embedding
  select: @searching
  select: operator: organization_id agent_id document_id revision chunk_index
  insert: chunks embedding: organization_id agent_id document_id revision chunk_index length terms
  delete: operator

chunks
  own: @searching agents chunks crawler documents embedding sweeper
  select: chunks
  select: dashboard: sketch
  select: dashboard operator: id created_at
  select: mcp platforms search: id token_count metadata vector_id sketch
  select: dashboard embedding operator: token_count
  select: dashboard documents embedding operator: chunk_index content metadata
  select: crawler dashboard documents embedding operator: organization_id agent_id document_id revision vector_id other_vector_id
  select: mcp platforms search sweeper: organization_id agent_id document_id revision chunk_index content
  select: agents: organization_id agent_id other_vector_id
  insert: chunks embedding: organization_id id agent_id document_id revision chunk_index content token_count metadata vector_id sketch
  update: chunks embedding: other_vector_id
  delete: chunks crawler dashboard documents embedding operator

clustered_agents
  own: @searching
  select: @searching

clustered_sketches
  own: @searching
  select: @searching
  select: operator: organization_id agent_id cluster document_id revision chunk_index
  delete: operator

connection_tokens
  own: dashboard
  every: sweeper
  select: sweeper: token_hash expires_at
  insert: dashboard: token_hash organization_id connection_id kind challenge redirect_uri expires_at
  delete: sweeper

connections
  own: dashboard
  every: sweeper
  select: dashboard
  select: operator: organization_id id person_id agent_id client_id client_name used_at created_at
  select: sweeper: organization_id id expires_at
  insert: dashboard: organization_id id person_id agent_id client_id client_name resource scope expires_at
  delete: dashboard sweeper

deleted_ordinals
  own: @searching
  select: @searching

document_claims
  own: chunks crawler dashboard documents embedding
  select: crawler dashboard documents operator
  select: chunks embedding: organization_id document_id revision
  insert: chunks documents embedding
  update: documents: scope
  delete: chunks documents embedding operator

document_revisions
  own: dashboard documents
  every: sweeper
  select: dashboard documents operator
  select: sweeper: organization_id document_id revision replaced_at
  delete: operator sweeper

documents
  own: @searching agents chunks crawler documents embedding organization questions
  every: sweeper
  select: crawler dashboard documents
  select: operator: external_id source_id content content_hash source_type source_url file_bytes extracted_text file_notes corrections
    resembles status searchable_chunk_count planned_chunk_count stored_bytes error_message error_code lease_expires_at attempt retry_count
    tries next_attempt_at waiting_reason resend_at pending_since request_id version edits created_at updated_at page_starts before_deletion
  select: embedding: metadata content content_hash source_url extracted_text corrections may_replace resembles managed_by status revision
    active_revision text_revision served_at chunk_count valid_from valid_until ignores_golden_questions lease_token lease_expires_at attempt
    retry_count tries next_attempt_at pending_since request_id requested_by page_starts
  select: sweeper: organization_id id agent_id content_hash source_url upload_until uploaded_at resembles managed_by status active_revision
    valid_from valid_until lease_expires_at attempt retry_count next_attempt_at waiting_reason resend_at pending_since request_id
    requested_by deleted_at
  select: extraction: organization_id id title_from_file content_hash source_url file_etag upload_until uploaded_at resembles managed_by
    status revision lease_token lease_expires_at attempt retry_count tries next_attempt_at request_id requested_by created_at
  select: agents: organization_id id agent_id external_id source_id source_type managed_by status revision active_revision
    searchable_chunk_count valid_from valid_until error_message error_code warnings lease_token deleted_at before_deletion
  select: mcp platforms search: organization_id id agent_id title external_id metadata title_terms revision active_revision chunk_count
    listed_revision chunk_offsets valid_from valid_until clustered_revision chunk_pages deleted_at
  select: chunks operator: metadata managed_by revision active_revision chunk_count chunk_offsets valid_from valid_until
  select: chunks embedding operator questions: organization_id id agent_id title warnings deleted_at
  select: organization: organization_id managed_by status stored_bytes
  insert: dashboard: may_replace resembles
  insert: dashboard documents: organization_id id agent_id title title_from_file external_id metadata title_terms content content_hash
    source_type source_url file_bytes file_etag upload_until uploaded_at managed_by status revised_by valid_from valid_until request_id
    requested_by
  insert: crawler: organization_id id agent_id title title_from_file external_id metadata source_id title_terms content content_hash
    source_type managed_by status revised_by valid_from valid_until request_id requested_by
  update: dashboard: file_etag upload_until may_replace
  update: dashboard documents: deleted_at before_deletion
  update: crawler dashboard documents: title_from_file external_id metadata source_id title_terms content source_type source_url file_bytes
    corrections resembles active_revision served_at chunk_offsets valid_from valid_until warnings chunk_pages
  update: crawler dashboard documents operator: title content_hash uploaded_at extracted_text file_notes pages_read pages managed_by
    revision chunk_count planned_chunk_count ignores_golden_questions attempt retry_count tries pending_since request_id requested_by
    page_starts
  update: embedding: content_hash extracted_text resembles active_revision served_at chunk_count chunk_offsets planned_chunk_count warnings
    attempt retry_count tries pending_since page_starts chunk_pages
  update: extraction: title title_terms content_hash source_type file_etag uploaded_at extracted_text file_notes pages_read pages attempt
    retry_count tries page_starts
  update: chunks: resembles managed_by status revision active_revision chunk_count listed_revision chunk_offsets planned_chunk_count
    error_message error_code warnings @lease requested_by chunk_pages
  update: agents: external_id source_id source_type active_revision warnings attempt retry_count tries pending_since deleted_at
    before_deletion
  update: agents crawler dashboard documents embedding extraction operator sweeper: status error_message error_code lease_token
    lease_expires_at next_attempt_at waiting_reason resend_at
  update: questions: warnings
  delete: agents crawler dashboard documents operator sweeper

embedded_tokens
  own: dashboard embedding organization
  select: dashboard embedding operator organization
  insert: embedding
  update: embedding: tokens

erasures
  select: operator: id kind organization_id agent_id requested_at completed_at counts
  insert: operator: id kind organization_id agent_id requested_at
  update: operator: completed_at counts

golden_questions
  own: agents chunks crawler dashboard documents embedding questions
  select: agents chunks crawler dashboard documents embedding operator questions
  insert: dashboard questions: organization_id agent_id id question document_id words expects_nothing within on_failure as_of model
    embedding high middle low cosine_per_unit history value expects_value
  update: dashboard questions: question document_id words expects_nothing within on_failure as_of history value expects_value
  update: dashboard embedding questions: model embedding high middle low cosine_per_unit passed rank checked_at
  update: agents chunks crawler documents: passed rank checked_at
  delete: dashboard operator questions

idempotency_keys
  own: chunks documents
  every: sweeper
  select: chunks documents
  select: sweeper: organization_id api_key_id key created_at
  select: operator: organization_id api_key_id key
  insert: chunks documents: organization_id api_key_id key request_hash owner
  update: chunks documents: request_hash owner response created_at
  delete: chunks documents operator sweeper

invitations
  own: dashboard
  every: sweeper
  select: dashboard: organization_id id mail role expires_at created_at invited_by
  select: sweeper: organization_id id expires_at
  insert: dashboard: organization_id id mail role token_hash expires_at invited_by
  update: dashboard: id role token_hash expires_at created_at invited_by
  delete: dashboard sweeper

known_browsers
  every: sweeper
  select: sweeper: person_id browser_hash used_at
  delete: sweeper

listed_agents
  own: @searching
  select: @searching

memberships
  own: dashboard documents
  select: dashboard documents operator
  insert: operator: organization_id person_id role
  update: operator: role removed_at created_at
  update: dashboard: role removed_at

oauth_clients
  every: dashboard sweeper
  select: dashboard: id name redirect_uris expires_at
  select: sweeper: id expires_at
  delete: sweeper

obsolete_files
  every: sweeper
  select delete: sweeper
  select: operator: source_url
  insert: operator: source_url last_at
  update: operator: delete_at last_at
  update: sweeper: delete_at

operator_actions
  select: operator: login person arguments ended_at outcome detail
  select: dashboard operator: id command organization_id started_at
  insert: dashboard: ended_at outcome
  insert: dashboard operator: id person command arguments organization_id
  update: operator: organization_id ended_at outcome detail

organizations
  own: dashboard embedding organization
  every: sweeper
  select: dashboard operator: log_questions keep_revisions
  select: dashboard operator organization: id name auto_delete_done_calls requests_per_second request_burst tokens_per_day
    documents_in_pipeline stored_bytes created_at
  select: sweeper: id keep_revisions
  select: embedding: id tokens_per_day
  insert: operator: id name
  update: operator: requests_per_second request_burst tokens_per_day documents_in_pipeline stored_bytes
  update: dashboard: auto_delete_done_calls log_questions keep_revisions
  update: organization: auto_delete_done_calls
  delete: operator

people
  select: dashboard documents operator
  insert: operator: id mail
  delete: operator

query_vectors
  own: @searching
  every: sweeper
  select insert: @searching: organization_id key embedding high middle low cosine_per_unit
  select: sweeper: organization_id key created_at
  select: operator: organization_id key
  delete: operator sweeper

question_log
  own: @searching questions
  every: sweeper
  select: dashboard operator questions
  select: sweeper: organization_id agent_id id asked_at
  insert: mcp platforms search: organization_id agent_id id question call_id mode is_degraded hits answerable milliseconds status value
  update: dashboard: is_wrong
  delete: dashboard operator sweeper

request_meters
  own: dashboard embedding organization
  select: dashboard operator organization: organization_id day requests question_tokens
  select: embedding: organization_id day question_tokens

sessions
  own: dashboard
  every: sweeper
  select: dashboard: organization_id token_hash person_id
  select: sweeper: token_hash expires_at
  delete: dashboard sweeper

sign_in_attempts
  every: dashboard sweeper
  select: dashboard
  select: sweeper: source since
  insert: dashboard: source failures
  update: dashboard: failures since
  delete: sweeper

sign_in_links
  every: sweeper
  select: sweeper: token_hash created_at
  delete: sweeper

signing_secrets
  own: platforms
  select: operator: organization_id agent_id platform created_at
  select: platforms: organization_id agent_id platform secret
  insert: operator: organization_id agent_id platform secret
  update: operator: secret created_at
  delete: operator

sketch_clusters
  own: @searching
  select: @searching

source_pages
  own: agents crawler dashboard
  select insert update: crawler
  select: dashboard: crawl task applied_hash
  select: operator: found
  select: agents dashboard operator: organization_id agent_id source_id address left_out gone_since looked_at
  update: dashboard: applied_hash
  delete: crawler operator

sources
  own: agents crawler dashboard documents
  every: sweeper
  select: agents crawler dashboard
  select: operator: organization_id id agent_id url kind include exclude refresh_hours status error_message notice checked_at next_check_at
    crawl resume_at lease_expires_at attempt failures created_at
  select: sweeper: organization_id id next_check_at resume_at lease_token lease_expires_at resend_at request_id requested_by
  select: documents: organization_id id status
  insert: agents dashboard: organization_id id agent_id url address kind include exclude refresh_hours request_id requested_by
  update: agents dashboard: address include exclude refresh_hours status error_message next_check_at resume_at lease_token lease_expires_at
    attempt resend_at request_id requested_by deleted_at
  update: crawler: status error_message notice checked_at next_check_at crawl resume_at lease_token lease_expires_at attempt failures
    sitemap resend_at
  update: sweeper: resend_at
  delete: agents crawler dashboard operator

term_lists
  own: @searching
  select: @searching
  select: operator: organization_id agent_id term block
  delete: operator

vectors
  own: @searching chunks crawler documents embedding
  select: chunks
  select: operator: exponent
  select: embedding: organization_id document_id id sketch model
  select: @searching operator: organization_id document_id id embedding
  select: crawler documents: organization_id document_id id
  insert: chunks embedding
  delete: chunks crawler dashboard documents embedding operator

webhook_deliveries
  own: dashboard organization
  every: delivery sweeper
  select: delivery operator
  select: dashboard organization: number type subject_id data status attempts next_attempt_at response_status error delivered_at
  select: dashboard organization sweeper: organization_id webhook_id id created_at
  insert: dashboard organization: organization_id webhook_id id type subject_id data next_attempt_at
  update: delivery: status attempts next_attempt_at lease_token response_status error delivered_at
  update: dashboard organization: status attempts next_attempt_at lease_token queued_at
  delete: operator sweeper

webhooks
  own: dashboard organization
  every: delivery
  select: delivery: organization_id id url secret previous_secret previous_until status disabled_reason failing_since
  select: dashboard organization: failing_since
  select: dashboard operator organization: organization_id id url events status disabled_reason created_at
  insert: dashboard organization: organization_id id url events secret
  update: dashboard organization: url events secret status disabled_reason failing_since
  update: delivery: status disabled_reason failing_since
  delete: dashboard operator organization

functions
  execute: agents chunks documents mcp organization platforms questions search: find_key
  execute: @searching agents chunks documents organization questions: count_requests
  execute: agents crawler dashboard documents: admit_documents
  execute: crawler: another_organization_waits
  execute: connect: register_client exchange_token end_connection
  execute: mcp: find_connection
  execute: dashboard: open_session find_signed_in sign_in_as ask_for_link spend_link find_invitation accept_invitation memberships_of
  execute: sweeper: tell_of_waiting_documents tell_of_unanswered_questions
  execute: operator: require_operator_action
  execute: @searching: answers at_least bits_of candidates chunks_with_words concatenated distance documents_in_revision is_valid likeness
    lists_of_terms metadata_of_chunk nearest_chunks occurrences positions reached scored_chunks served_chunks served_terms sums
    weighed_terms with_earlier_turns with_offsets with_stored_vectors
  execute: agents chunks crawler dashboard documents embedding questions: answers_after
  execute: embedding: switch_model
  execute: sweeper: agents_to_cluster agents_to_list cluster_chunks list_chunks
`

const lists: Readonly<Record<string, string>> = {
  '@searching': 'dashboard mcp platforms search',
  '@lease': 'lease_token lease_expires_at attempt retry_count tries next_attempt_at waiting_reason',
}

/** A line of the table. */
export interface Rule {
  table: string
  rules: readonly string[]
  roles: readonly string[]
  /** Columns, or functions; empty for all columns. */
  names: readonly string[]
}

/** @throws Error for a line that has another form */
export function rulesOf(text: string): Rule[] {
  return text
    .trim()
    .split('\n\n')
    .flatMap((block) => {
      const [table, ...lines] = block.replaceAll(/\n {4}/g, ' ').split('\n')
      return lines.map((line) => {
        const [rules, roles, names, ...rest] = line.split(': ').map(wordsIn)
        if (!roles || rest.length > 0) throw new Error(`access to ${table}: ${line}`)
        return { table: table!, rules: rules!, roles, names: names ?? [] }
      })
    })
}

function wordsIn(text: string): string[] {
  return text
    .split(' ')
    .flatMap((word) => (lists[word] ?? word).split(' '))
    .filter(Boolean)
}

/**
 * Who may do what in the database: everything is refused but what stands here. `grants.ts` makes grants and policies of it. Each Lambda
 * has a role, and so have operators: `cuecard_` and its name. Roles are groups without a login, own nothing and have no attributes.
 * Create logins as their members, in SQL: roles made in Neon's console bypass row-level security.
 */
export const roles =
  `agents chunks connect crawler dashboard delivery documents embedding extraction mcp operator organization platforms
  questions search snapshot sweeper`.split(/\s+/)

/** The setting has the transaction's organization, or '' for none. A subquery evaluates it once a statement. */
export const own = `organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid)`
/** Throws, where a condition would silently hide the rows. */
export const audited = '(select require_operator_action())'
const isFile = `${own} and source_url is not null`

const answering = 'mcp platforms search'
const searching = `dashboard ${answering}`
/** They change what search serves, so they check golden questions first. */
const checking = 'agents chunks crawler dashboard documents embedding questions'
/** They keep agents' indexes, and read the texts and the vectors of what they find. */
const ranking = `${answering} ${checking}`

/** The columns of a document's work. */
const state = 'status, error_message, error_code, waiting_reason'
const lease = 'lease_token, lease_expires_at, next_attempt_at'
const attempts = `${lease}, attempt, retry_count, tries`
const work = `${state}, ${attempts}`
const crawl = 'status, error_message, next_check_at, resume_at, lease_token, lease_expires_at, attempt, resend_at'
const halted = 'next_check_at, resume_at, lease_token, lease_expires_at, attempt'
const upload = 'file_etag, upload_until'
const served = 'revision, active_revision, chunk_count, valid_from, valid_until'
const chunksOf = 'chunk_count, chunk_offsets, chunk_pages, planned_chunk_count'
const chunk = 'organization_id, agent_id, document_id, revision, chunk_index'
const fullChunk = `${chunk}, id, content, token_count, metadata, vector_id, sketch, terms`
const asked = 'question, history, document_id, words, value, expects_value, expects_nothing, within, on_failure, as_of'
const limits = 'requests_per_second, request_burst, tokens_per_day, documents_in_pipeline, stored_bytes'
const organization = `id, name, auto_delete_done_calls, ${limits}, created_at`
const clock = 'time_zone, holidays'
const agent = `organization_id, id, knowledge_version, ${clock}`
const models = 'model, next_model, former_model'
const key = 'organization_id, id, name, permissions, expires_at, created_by, created_by_person'
const webhook = 'organization_id, id, url, status, disabled_reason'
const page = 'organization_id, agent_id, source_id, address, left_out, gone_since, looked_at'

/**
 * Tables, in the order of `tables/` → roles → what SQL grants them. A role sees the rows of the transaction's organization. An operator
 * sees every row, and changes it only while an action of the login is open. Exceptions are `every`, the roles that work on all rows, and
 * a `policy` by its name, which has the rows of the roles after `to`.
 *
 * Every statement names the organization already, so policies are the second protection. They don't cover foreign keys and unique checks,
 * whose composite keys start with organization_id instead, and the owner is exempt from them.
 */
export const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  organizations: {
    every: 'sweeper',
    dashboard: `select (${organization}, log_questions, viewers_read_questions, keep_revisions),
      update (auto_delete_done_calls, log_questions, viewers_read_questions, keep_revisions)`,
    organization: `select (${organization}), update (auto_delete_done_calls)`,
    embedding: 'select (id, tokens_per_day)',
    sweeper: 'select (id, keep_revisions)',
    operator: `select (${organization}, log_questions, keep_revisions), insert (id, name), update (${limits}), delete`,
  },
  api_keys: {
    'dashboard operator': `select (${key}, revoked_at, created_at), insert (${key}, key_hash), update (revoked_at)`,
    documents: 'select (organization_id, id, name)',
    operator: 'delete',
  },
  idempotency_keys: {
    every: 'sweeper',
    'chunks documents': `select, insert (organization_id, api_key_id, key, request_hash, owner),
      update (request_hash, owner, response, created_at), delete`,
    sweeper: 'select (organization_id, api_key_id, key, agent_id, created_at), delete',
    operator: 'select (organization_id, api_key_id, key, agent_id), delete',
  },
  request_meters: {
    'dashboard operator organization': 'select (organization_id, day, requests, question_tokens)',
    embedding: 'select (organization_id, day, question_tokens)',
    snapshot: 'select (organization_id, snapshot_minute, snapshot_bytes), update (snapshot_minute, snapshot_bytes)',
  },
  embedded_tokens: {
    'dashboard operator organization': 'select',
    embedding: 'select, insert, update (tokens)',
  },
  agents: {
    every: 'sweeper',
    'agents dashboard': `insert (organization_id, id, name, ${clock}), update (name, missing_holidays, holidays_due_at, ${clock})`,
    agents: `select (${agent}, ${models}, name, knowledge_base_enabled, model_waiting, created_at)`,
    'crawler documents': `select (${agent})`,
    questions: `select (${agent}, model)`,
    chunks: `select (${agent}, ${models})`,
    embedding: `select (${agent}, ${models}, knowledge_base_enabled, former_until, model_due_at),
      update (model, former_model, former_until, model_due_at, model_waiting)`,
    [ranking]: `select (organization_id, id, name, model, served_version, ${clock})`,
    'mcp platforms': 'select (knowledge_base_enabled)',
    snapshot: `select (organization_id, id, name, model, served_version, purged_version, ${clock})`,
    sweeper: `select (organization_id, id, model_due_at, holidays_due_at, ${clock}),
      update (model_due_at, missing_holidays, holidays_due_at), delete`,
    dashboard: 'select',
    operator: `select, insert (organization_id, id, name, ${clock}), delete`,
  },
  signing_secrets: {
    platforms: 'select (organization_id, agent_id, platform, secret)',
    operator: `select (organization_id, agent_id, platform, created_at), insert (organization_id, agent_id, platform, secret),
      update (secret, created_at), delete`,
  },
  // The call service writes calls: its roles are not ours to restrict.
  calls: {
    'policy every_writer': 'using (true)',
    'policy own': `as restrictive to dashboard sweeper using (${own})`,
    'policy operator_updates': `as restrictive for update to operator using (${audited})`,
    'policy operator_deletes': `as restrictive for delete to operator using (${audited})`,
    'dashboard operator': 'select, update (deleted_at), delete',
    sweeper: 'select (organization_id, id, agent_id), delete',
  },

  people: {
    'policy of_members': `for select to dashboard documents
        using (exists (select from memberships m where m.person_id = people.id and m.${own}))`,
    'dashboard documents': 'select',
    operator: 'select, insert (id, mail), delete',
  },
  memberships: {
    documents: 'select',
    dashboard: 'select, update (role, removed_at)',
    operator: 'select, insert (organization_id, person_id, role), update (role, removed_at, created_at)',
  },
  invitations: {
    every: 'sweeper',
    dashboard: `select (organization_id, id, mail, role, invited_by, expires_at, created_at),
      insert (organization_id, id, mail, role, token_hash, invited_by, expires_at),
      update (id, role, token_hash, invited_by, expires_at, created_at), delete`,
    sweeper: 'select (organization_id, id, expires_at), delete',
  },
  sign_in_links: { every: 'sweeper', sweeper: 'select (token_hash, created_at), delete' },
  known_browsers: { every: 'sweeper', sweeper: 'select (person_id, browser_hash, used_at), delete' },
  sessions: {
    every: 'sweeper',
    dashboard: 'select (organization_id, person_id, token_hash), delete',
    sweeper: 'select (token_hash, expires_at), delete',
  },
  sign_in_attempts: {
    every: 'dashboard sweeper',
    dashboard: 'select, insert (source, failures), update (failures, since)',
    sweeper: 'select (source, since), delete',
  },

  oauth_clients: {
    every: 'dashboard sweeper',
    dashboard: 'select (id, name, redirect_uris, expires_at)',
    sweeper: 'select (id, expires_at), delete',
  },
  connections: {
    every: 'sweeper',
    dashboard: `select, delete,
      insert (organization_id, id, person_id, agent_id, client_id, client_name, resource, scope, expires_at)`,
    sweeper: 'select (organization_id, id, expires_at), delete',
    operator: 'select (organization_id, id, person_id, agent_id, client_id, client_name, used_at, created_at)',
  },
  connection_tokens: {
    every: 'sweeper',
    dashboard: 'insert (token_hash, organization_id, connection_id, kind, challenge, redirect_uri, expires_at)',
    sweeper: 'select (token_hash, expires_at), delete',
  },

  sources: {
    every: 'sweeper',
    'agents dashboard': `select, delete,
      insert (organization_id, id, agent_id, url, address, kind, include, exclude, refresh_hours, request_id, requested_by),
      update (${crawl}, address, include, exclude, refresh_hours, request_id, requested_by, deleted_at)`,
    crawler: `select, update (${crawl}, notice, checked_at, crawl, failures, sitemap), delete`,
    documents: 'select (organization_id, id, status)',
    sweeper: `select (organization_id, id, agent_id, next_check_at, resume_at, lease_token, lease_expires_at, resend_at, request_id,
      requested_by), update (resend_at), delete`,
    operator: `update (${halted}), select (organization_id, agent_id, id, url, kind, include, exclude, refresh_hours, status, error_message, notice,
      checked_at, next_check_at, crawl, resume_at, lease_expires_at, attempt, failures, created_at), delete`,
  },
  source_pages: {
    agents: `select (${page})`,
    dashboard: `select (${page}, crawl, task, applied_hash), update (applied_hash)`,
    crawler: 'select, insert, update, delete',
    sweeper: 'select (organization_id, agent_id, source_id, address), delete',
    operator: `select (${page}, found), delete`,
  },

  documents: {
    every: 'sweeper',
    // Extraction completes no document, and can't read the text that it stored.
    'policy own_files': `to extraction using (${isFile}) with check (${isFile} and status <> 'completed')`,
    'crawler dashboard documents': `select, delete,
      insert (organization_id, id, agent_id, title, title_from_file, external_id, metadata, content, content_hash,
        source_type, managed_by, status, revised_by, valid_from, valid_until, request_id, requested_by),
      update (title, title_from_file, external_id, metadata, source_id, content, content_hash, source_type, source_url,
        file_bytes, uploaded_at, extracted_text, page_starts, file_notes, corrections, pages_read, pages, resembles, managed_by,
        revision, active_revision, served_at, ${chunksOf}, valid_from, valid_until, warnings, ignores_golden_questions, ${work},
        resend_at, pending_since, request_id, requested_by)`,
    'dashboard documents': `insert (source_url, file_bytes, uploaded_at, ${upload}), update (deleted_at, before_deletion)`,
    dashboard: `insert (may_replace, resembles), update (may_replace, ${upload})`,
    crawler: 'insert (source_id)',
    agents: `select (organization_id, id, agent_id, external_id, source_id, source_type, managed_by, status, error_message,
        error_code, revision, active_revision, searchable_chunk_count, valid_from, valid_until, warnings, lease_token, deleted_at,
        before_deletion),
      update (external_id, source_id, source_type, active_revision, warnings, ${work}, resend_at, pending_since, deleted_at,
        before_deletion), delete`,
    chunks: `select (managed_by, warnings),
      update (resembles, managed_by, revision, active_revision, ${chunksOf}, warnings, ${work}, requested_by)`,
    embedding: `select (organization_id, id, agent_id, title, metadata, content, content_hash, source_url, extracted_text,
        page_starts, corrections, may_replace, resembles, managed_by, status, ${served}, text_revision, served_at, warnings,
        ignores_golden_questions, ${attempts}, request_id, requested_by, pending_since, deleted_at),
      update (content_hash, extracted_text, page_starts, resembles, active_revision, served_at, ${chunksOf}, warnings, ${work},
        resend_at, pending_since)`,
    extraction: `select (organization_id, id, title_from_file, content_hash, source_url, uploaded_at, ${upload}, resembles,
        managed_by, status, revision, ${attempts}, request_id, requested_by, created_at),
      update (title, content_hash, source_type, file_etag, uploaded_at, extracted_text, page_starts, file_notes,
        pages_read, pages, ${work}, resend_at)`,
    [ranking]: `select (organization_id, id, agent_id, title, external_id, metadata, ${served}, chunk_pages, chunk_offsets,
        deleted_at)`,
    [checking]: 'select (before_deletion)',
    snapshot: 'select (organization_id, id, external_id, metadata, chunk_count, chunk_offsets, chunk_pages)',
    questions: 'select (warnings), update (warnings)',
    organization: 'select (organization_id, status, managed_by, stored_bytes)',
    sweeper: `select (organization_id, id, agent_id, content_hash, source_url, upload_until, uploaded_at, resembles, managed_by,
        status, revision, active_revision, valid_from, valid_until, lease_expires_at, attempt, retry_count, next_attempt_at,
        waiting_reason, resend_at, pending_since, request_id, requested_by, deleted_at),
      update (${state}, ${lease}, resend_at), delete`,
    operator: `select (organization_id, id, agent_id, title, external_id, metadata, source_id, content, content_hash, source_type,
        source_url, file_bytes, extracted_text, page_starts, file_notes, corrections, resembles, managed_by, status, ${served},
        chunk_offsets, searchable_chunk_count, planned_chunk_count, stored_bytes, error_message, error_code, warnings,
        lease_expires_at, attempt, retry_count, tries, next_attempt_at, waiting_reason, resend_at, pending_since, request_id,
        deleted_at, before_deletion, version, edits, created_at, updated_at),
      update (title, content_hash, uploaded_at, extracted_text, page_starts, file_notes, pages_read, pages, managed_by, revision,
        chunk_count, planned_chunk_count, ignores_golden_questions, ${work}, resend_at, pending_since, request_id, requested_by),
      delete`,
  },
  document_revisions: {
    every: 'sweeper',
    'dashboard documents': 'select',
    sweeper: 'select (organization_id, agent_id, document_id, revision, replaced_at), delete',
    operator: 'select, delete',
  },
  document_claims: {
    'crawler dashboard': 'select',
    documents: 'select, insert, update (scope), delete',
    'chunks embedding': 'select (organization_id, document_id, revision), insert, delete',
    sweeper: 'select (organization_id, agent_id, document_id, key), delete',
    operator: 'select, delete',
  },
  obsolete_files: {
    every: 'sweeper',
    sweeper: 'select, update (delete_at), delete',
    operator: 'select (source_url), insert (source_url, last_at), update (delete_at, last_at)',
  },
  chunks: {
    [ranking]: `select (${fullChunk}, other_vector_id)`,
    snapshot: `select (${fullChunk})`,
    dashboard: 'select (created_at), delete',
    'chunks embedding': `insert (${fullChunk}), update (other_vector_id), delete`,
    chunks: 'select',
    'crawler documents': 'delete',
    every: 'sweeper',
    sweeper: `select (${chunk}, content, metadata, terms), update (terms), delete`,
    operator: `select (${chunk}, id, content, token_count, metadata, vector_id, other_vector_id, created_at), delete`,
  },
  vectors: {
    [ranking]: 'select (organization_id, document_id, id, embedding, sketch)',
    snapshot: 'select (organization_id, document_id, id, embedding)',
    'crawler dashboard documents': 'delete',
    chunks: 'select, insert, delete',
    embedding: 'select (model), insert, delete',
    sweeper: 'select (organization_id, document_id, id), delete',
    operator: 'select (organization_id, document_id, id, exponent, embedding), delete',
  },

  question_log: {
    every: 'sweeper',
    [`${answering} questions`]: `insert (organization_id, agent_id, id, question, call_id, mode, is_degraded, hits, answerable, status,
      value, milliseconds)`,
    questions: 'select, insert (asked_at)',
    dashboard: 'select, update (is_wrong, asked_again_version, answered_since), delete',
    sweeper: 'select (organization_id, agent_id, id, asked_at), delete',
    operator: 'select, delete',
  },
  golden_questions: {
    [checking]: 'select, update (passed, rank, checked_at)',
    embedding: `update (model, embedding)`,
    'dashboard questions': `insert (organization_id, agent_id, id, ${asked}, model, embedding),
      update (${asked}, model, embedding), delete`,
    sweeper: 'select (organization_id, agent_id, id), delete',
    operator: 'select, delete',
  },
  query_vectors: {
    every: 'sweeper',
    [searching]: `select (organization_id, key, embedding), insert (organization_id, key, embedding)`,
    sweeper: 'select (organization_id, key, created_at), delete',
    operator: 'select (organization_id, key), delete',
  },

  // Roles that change a webhook can't read its secret, and the role that delivers can change neither address nor secret.
  webhooks: {
    every: 'delivery',
    organization: `select (${webhook}, events, failing_since, created_at),
      insert (organization_id, id, url, events, secret), update (url, events, secret, status, disabled_reason, failing_since), delete`,
    delivery: `select (${webhook}, failing_since, secret, previous_secret, previous_until),
      update (status, disabled_reason, failing_since)`,
    operator: `select (${webhook}, events, created_at), delete`,
  },
  webhook_deliveries: {
    every: 'delivery sweeper',
    organization: `select (organization_id, webhook_id, id, number, type, subject_id, data, status, attempts,
        next_attempt_at, response_status, error, delivered_at, created_at),
      insert (organization_id, webhook_id, id, type, subject_id, data, next_attempt_at),
      update (status, attempts, next_attempt_at, lease_token, queued_at)`,
    delivery: 'select, update (status, attempts, next_attempt_at, lease_token, response_status, error, delivered_at)',
    sweeper: 'select (organization_id, webhook_id, id, data, created_at), delete',
    operator: 'select, delete',
  },

  // The database sets login and time. An operator sets the outcome of own actions only, and only once.
  operator_actions: {
    'policy operator_reads': 'for select to operator using (true)',
    'policy operator_begins': 'for insert to operator with check (login = session_user and outcome is null)',
    'policy operator_ends': `for update to operator using (login = session_user and outcome is null) with check (outcome is not null)`,
    'policy own_recorded': `for insert to agents dashboard with check (${own} and login = session_user and outcome = 'done')`,
    'policy own_counted': `for select to agents dashboard using (${own})`,
    'agents dashboard':
      'select (id, organization_id), insert (id, person, command, arguments, organization_id, ended_at, outcome)',
    dashboard: 'select (command, started_at)',
    operator: `select (id, login, person, command, arguments, organization_id, started_at, ended_at, outcome, detail),
      insert (id, person, command, arguments, organization_id), update (organization_id, ended_at, outcome, detail)`,
  },
  erasures: {
    every: 'sweeper',
    'agents dashboard': 'insert (id, kind, organization_id, agent_id)',
    sweeper:
      'select (id, kind, organization_id, agent_id, requested_at, completed_at, counts), update (completed_at, counts)',
    operator: `select (id, kind, organization_id, agent_id, requested_at, completed_at, counts),
      insert (id, kind, organization_id, agent_id, requested_at), update (completed_at, counts)`,
  },

  // Triggers write them.
  packs: {
    every: 'sweeper',
    [ranking]: 'select',
    snapshot: 'select',
    sweeper: 'select (organization_id, agent_id, document_id, terms_version, unserved_at), delete',
    operator: 'select (organization_id, agent_id, document_id, revision), delete',
  },
}

/** Functions, with every version of the name → the roles that may call them. Triggers need no right. */
export const functions: Readonly<Record<string, string>> = {
  find_key: `agents chunks documents organization questions snapshot ${answering}`,
  count_requests: `agents chunks dashboard documents organization questions snapshot ${answering}`,
  is_kept: `agents chunks dashboard documents questions snapshot ${answering}`,
  admit_documents: 'agents crawler dashboard documents',
  another_organization_waits: 'crawler',
  'open_session sign_in_as find_signed_in memberships_of ask_for_link spend_link': 'dashboard',
  'find_invitation accept_invitation': 'dashboard',
  'register_client exchange_token end_connection': 'connect',
  find_connection: 'mcp',
  'tell_of_waiting_documents tell_of_unanswered_questions': 'sweeper',
  require_operator_action: 'operator',
  read_agent: ranking,
  packed_chunks: checking,
  switch_model: 'embedding',
  renew_pack: 'sweeper',
}

import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useStand } from '../support/stand/stand.ts'
import { as, ownFunctions, roles } from './roles.ts'

const stand = useStand()
/** The role of people who use the command line. */
const operator = 'cuecard_operator'

/** The lines of a table; a backslash at the end of one continues it. */
const linesOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((line) => line.trim().replaceAll(/ +/g, ' '))

describe('the roles of the Lambdas', () => {
  test('own nothing, have no attributes and may create nothing', async () => {
    const { rows } = await sql<{ rolname: string; has_attribute: boolean; owns: number; may_create: boolean }>`
      select rolname, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as has_attribute,
        (select count(*)::int from pg_class where relowner = r.oid) as owns,
        has_schema_privilege(r.oid, 'public', 'create')
          or has_database_privilege(r.oid, current_database(), 'create, temporary') as may_create
      from pg_roles r where rolname like 'cuecard_%' and not rolcanlogin and exists (select from pg_shdepend s
          where s.refobjid = r.oid and s.dbid = (select oid from pg_database where datname = current_database()))
      order by rolname`.execute(stand.db)
    expect(rows).toEqual(
      [...roles, operator].toSorted().map((rolname) => ({ rolname, has_attribute: false, owns: 0, may_create: false })),
    )
  })

  test('have exactly these grants', async () => {
    const { rows } = await sql<{ grant: string }>`
      select replace(grantee, 'cuecard_', '') || ' ' || lower(privilege_type) || ': '
        || string_agg(table_name, ' ' order by table_name collate "C") as grant
      from (
        select grantee, privilege_type, table_name from information_schema.column_privileges
        union select grantee, privilege_type, table_name from information_schema.table_privileges
      ) granted
      where grantee like 'cuecard_%' or grantee = 'PUBLIC' and table_name in (select tablename from pg_tables where schemaname = 'public')
      group by grantee, privilege_type`.execute(stand.db)
    const expected = linesOf(`
      agents delete: documents sources
      agents insert: agents sources
      agents select: agents chunks documents golden_questions source_pages sources
      agents update: agents documents golden_questions sources
      chunks delete: chunks document_claims idempotency_keys vectors
      chunks insert: chunk_terms chunks document_claims idempotency_keys vectors
      chunks select: agents chunks document_claims documents golden_questions idempotency_keys vectors
      chunks update: chunks documents golden_questions idempotency_keys
      crawler delete: chunks documents source_pages sources vectors
      crawler insert: documents source_pages
      crawler select: agents chunks document_claims documents golden_questions source_pages sources vectors
      crawler update: documents golden_questions source_pages sources
      dashboard delete: calls chunks connections documents golden_questions invitations question_log sessions sources vectors webhooks
      dashboard insert: agents api_keys connection_tokens connections documents golden_questions invitations operator_actions query_vectors sign_in_attempts sources webhook_deliveries webhooks
      dashboard select: agents api_keys calls chunk_terms chunks clustered_agents clustered_sketches connections deleted_ordinals document_claims document_revisions documents \
        embedded_tokens golden_questions invitations listed_agents memberships oauth_clients operator_actions organizations people query_vectors \
        question_log request_meters sessions sign_in_attempts sketch_clusters source_pages sources term_lists vectors \
        webhook_deliveries webhooks
      dashboard update: agents api_keys calls documents golden_questions invitations memberships organizations question_log sign_in_attempts source_pages sources \
        webhook_deliveries webhooks
      delivery select: webhook_deliveries webhooks
      delivery update: webhook_deliveries webhooks
      documents delete: chunks document_claims documents idempotency_keys vectors
      documents insert: document_claims documents idempotency_keys
      documents select: agents api_keys chunks document_claims document_revisions documents golden_questions idempotency_keys memberships people sources vectors
      documents update: document_claims documents golden_questions idempotency_keys
      embedding delete: chunks document_claims vectors
      embedding insert: chunk_terms chunks document_claims embedded_tokens vectors
      embedding select: agents chunks document_claims documents embedded_tokens golden_questions organizations request_meters vectors
      embedding update: agents chunks documents embedded_tokens golden_questions
      extraction select: documents
      extraction update: documents
      mcp insert: query_vectors question_log
      mcp select: agents chunk_terms chunks clustered_agents clustered_sketches deleted_ordinals documents listed_agents \
        query_vectors sketch_clusters term_lists vectors
      operator delete: agents api_keys calls chunk_terms chunks clustered_sketches document_claims document_revisions documents golden_questions \
        idempotency_keys organizations people query_vectors question_log signing_secrets source_pages sources term_lists vectors \
        webhook_deliveries webhooks
      operator insert: agents api_keys erasures memberships obsolete_files operator_actions organizations people signing_secrets
      operator select: agents api_keys calls chunk_terms chunks clustered_sketches connections document_claims document_revisions documents embedded_tokens erasures \
        golden_questions idempotency_keys memberships obsolete_files operator_actions organizations people query_vectors question_log request_meters signing_secrets source_pages sources term_lists vectors \
        webhook_deliveries webhooks
      operator update: api_keys calls documents erasures memberships obsolete_files operator_actions organizations signing_secrets
      organization delete: webhooks
      organization insert: webhook_deliveries webhooks
      organization select: documents embedded_tokens organizations request_meters webhook_deliveries webhooks
      organization update: organizations webhook_deliveries webhooks
      platforms insert: query_vectors question_log
      platforms select: agents chunk_terms chunks clustered_agents clustered_sketches deleted_ordinals documents \
        listed_agents query_vectors signing_secrets sketch_clusters term_lists vectors
      questions delete: golden_questions
      questions insert: golden_questions
      questions select: agents documents golden_questions question_log
      questions update: documents golden_questions
      search insert: query_vectors question_log
      search select: agents chunk_terms chunks clustered_agents clustered_sketches deleted_ordinals documents listed_agents \
        query_vectors sketch_clusters term_lists vectors
      sweeper delete: connection_tokens connections document_revisions documents idempotency_keys invitations known_browsers oauth_clients obsolete_files query_vectors question_log sessions \
        sign_in_attempts sign_in_links webhook_deliveries
      sweeper select: agents chunks connection_tokens connections document_revisions documents idempotency_keys invitations known_browsers oauth_clients obsolete_files organizations query_vectors \
        question_log sessions sign_in_attempts sign_in_links sources webhook_deliveries
      sweeper update: agents documents obsolete_files sources
    `)
    expect(rows.map((row) => row.grant).sort()).toEqual(expected)
  })

  test('have only the grants that their statements need on vectors, terms and the columns that lead to them', async () => {
    const { rows } = await sql<{ grant: string }>`
      select verb || ' ' || table_name || ' (' || columns || '): ' || string_agg(role, ' ' order by role) as grant
      from (
        select replace(grantee, 'cuecard_', '') as role, lower(privilege_type) as verb, table_name,
          string_agg(column_name, ' ' order by column_name) as columns
        from information_schema.column_privileges
        where grantee like 'cuecard_%' and (table_name in ('vectors', 'query_vectors', 'chunk_terms')
            or column_name in ('vector_id', 'sketch', 'chunk_offsets', 'title_terms'))
          and (table_name in ('vectors', 'chunk_terms') or not has_table_privilege(grantee, table_name, privilege_type))
        group by grantee, privilege_type, table_name
      ) granted
      group by verb, table_name, columns`.execute(stand.db)
    const expected = linesOf(`
      insert chunk_terms (agent_id chunk_index document_id length organization_id revision terms): chunks embedding
      insert chunks (sketch vector_id): chunks embedding
      insert documents (title_terms): crawler dashboard documents
      insert query_vectors (cosine_per_unit embedding high key low middle organization_id): dashboard mcp platforms \
        search
      insert vectors (document_id embedding exponent id model organization_id sketch): chunks embedding
      select chunk_terms (agent_id chunk_index document_id length ordinal organization_id revision terms): dashboard mcp \
        platforms search
      select chunk_terms (agent_id chunk_index document_id organization_id revision): operator
      select chunks (sketch vector_id): dashboard mcp platforms search
      select chunks (vector_id): crawler documents embedding operator
      select documents (chunk_offsets title_terms): mcp platforms search
      select documents (chunk_offsets): chunks operator
      select query_vectors (cosine_per_unit embedding high key low middle organization_id): dashboard mcp platforms \
        search
      select query_vectors (created_at key organization_id): sweeper
      select query_vectors (key organization_id): operator
      select vectors (document_id embedding exponent id model organization_id sketch): chunks
      select vectors (document_id embedding exponent id organization_id): operator
      select vectors (document_id embedding id organization_id): dashboard mcp platforms search
      select vectors (document_id id model organization_id sketch): embedding
      select vectors (document_id id organization_id): crawler documents
      update documents (chunk_offsets title_terms): crawler dashboard documents
      update documents (chunk_offsets): chunks embedding
      update documents (title_terms): extraction
    `)
    expect(rows.map((row) => row.grant).sort()).toEqual(expected)
  })

  test('may execute exactly these functions: triggers belong to the owner, and PUBLIC has none', async () => {
    const { rows } = await sql<{ grant: string }>`
      select coalesce(nullif(grantee, 0)::regrole::text, 'PUBLIC') || ' ' || proname as grant
      from (${ownFunctions}) p cross join aclexplode(coalesce(proacl, acldefault('f', proowner)))
      where grantee <> proowner order by 1`.execute(stand.db)
    const requested = ['agents', 'chunks', 'documents', 'mcp', 'organization', 'platforms', 'questions', 'search']
    const searching = ['dashboard', 'mcp', 'platforms', 'search']
    const ofSearch = [
      ...'answers at_least bits_of candidates chunks_with_words concatenated distance documents_in_revision'.split(' '),
      ...'is_valid likeness lists_of_terms metadata_of_chunk nearest_chunks occurrences positions reached'.split(' '),
      ...'scored_chunks served_chunks served_terms sums weighed_terms with_earlier_turns with_offsets'.split(' '),
      'with_stored_vectors',
    ]
    const signingIn = ['accept_invitation', 'ask_for_link', 'find_invitation', 'find_session', 'find_signed_in']
    signingIn.push('memberships_of', 'open_session', 'sign_in_as', 'spend_link')
    const swept = ['agents_to_list', 'list_chunks', 'agents_to_cluster', 'cluster_chunks', 'tell_of_waiting_documents']
    swept.push('tell_of_unanswered_questions')
    const connecting = ['end_connection', 'exchange_token', 'register_client']
    const grants = {
      ...Object.fromEntries(signingIn.map((name) => [name, ['dashboard']])),
      ...Object.fromEntries(ofSearch.map((name) => [name, searching])),
      ...Object.fromEntries(swept.map((name) => [name, ['sweeper']])),
      ...Object.fromEntries(connecting.map((name) => [name, ['connect']])),
      ...{ count_requests: [...requested, 'dashboard'], find_key: requested, find_connection: ['mcp'] },
      admit_documents: ['agents', 'crawler', 'dashboard', 'documents'],
      another_organization_waits: ['crawler'],
      answers_after: ['agents', 'chunks', 'crawler', 'dashboard', 'documents', 'embedding', 'questions'],
      switch_model: ['embedding'],
      require_operator_action: ['operator'],
      // The release before this one calls the other of this name.
      ask_for_link: ['dashboard', 'dashboard'],
    }
    const expected = Object.entries(grants).flatMap(([name, granted]) =>
      granted.map((role) => `cuecard_${role} ${name}`),
    )
    expect(rows.map((row) => row.grant)).toEqual(expected.sort())
  })

  const forbidden = linesOf(`
    agents: select title from documents; select ready_document_count from agents; update agents set knowledge_version = 0; \
      select title from source_pages; update source_pages set address = null; update sources set url = null; \
      update documents set title = null
    chunks: select requested_by from documents; select title from document_revisions; \
      update chunks set content = null; update vectors set embedding = null; \
      update chunks set vector_id = null; select content from documents; update documents set title = null; \
      delete from documents; update chunk_terms set terms = null
    crawler: select find_key('x'); insert into sources select from sources; \
      update sources set url = null; select key_hash from api_keys; select embedding from vectors; \
      select content from chunks; select secret from signing_secrets; update documents set organization_id = null
    dashboard: select key_hash from api_keys; update api_keys set permissions = null; delete from api_keys; \
      select cursor_key from organizations; select find_key(null); insert into sessions select from sessions; \
      update sessions set expires_at = null; update calls set done_at = null; insert into calls select from calls; \
      update agents set knowledge_version = 0; select secret from signing_secrets; delete from sign_in_attempts; \
      select content from source_pages; delete from source_pages; update sources set crawl = 0
    documents: select source_url from obsolete_files; select id from calls; \
      update agents set ready_document_count = 1; insert into api_keys select from api_keys; \
      insert into chunks select from chunks; update documents set organization_id = null; select embedding from vectors; \
      select terms from chunk_terms; select secret from signing_secrets; select find_session('x'); \
      select key_hash from api_keys; delete from document_revisions; insert into document_revisions select from agents; \
      select token_hash from sessions
    embedding: select find_key('x'); update documents set content = null; update documents set corrections = '[]'; \
      update documents set source_url = null; select key_hash from api_keys; update documents set content = null; \
      select embedding from vectors; update vectors set embedding = null; delete from chunk_terms; \
      select terms from chunk_terms
    extraction: select extracted_text from documents; select content from documents; select title from documents; \
      update documents set content = null; update documents set source_url = null; \
      update documents set revision = 2; update documents set active_revision = 1; \
      update documents set managed_by = null; delete from documents; select id from chunks; \
      select source_url from obsolete_files
    mcp: select content from documents; select ready_document_count from agents; update agents set ready_document_count = 1; \
      delete from query_vectors; select id from documents for update
    operator: select key_hash from api_keys; select cursor_key from organizations; \
      select secret from signing_secrets; select response from idempotency_keys; \
      update organizations set name = null; update documents set content = null; \
      insert into documents select from documents; update api_keys set permissions = null; delete from erasures; \
      create table smuggled ()
    organization: select cursor_key from organizations; update organizations set name = null; \
      select id from documents
    platforms: select created_at from signing_secrets; update signing_secrets set secret = null; \
      delete from signing_secrets; delete from query_vectors; select content from documents; \
      select ready_document_count from agents
    questions: select name from agents; select content from documents; delete from question_log; \
      insert into question_log select from question_log
    search: delete from documents; delete from vectors; delete from chunk_terms; delete from query_vectors; \
      update query_vectors set embedding = null; select exponent from vectors; \
      select id from documents for update; select content from documents; select response from idempotency_keys; \
      select secret from signing_secrets; select question from question_log; insert into question_log (asked_at) values (null)
    sweeper: select question from question_log; select content from documents; select title from documents; \
      select response from idempotency_keys; select extracted_text from documents; \
      update obsolete_files set source_url = null; insert into obsolete_files select from obsolete_files; \
      select content from document_revisions; select name from organizations; \
      select url from sources; select address from source_pages; update sources set next_check_at = now(); \
      select api_key_id from sessions; select present from term_lists; select terms from chunk_terms; \
      select metadata from chunks
  `).flatMap((line) => {
    const [role, statements] = line.split(': ')
    return statements!.split('; ').map((statement) => [`cuecard_${role}`, statement] as const)
  })
  test.each(forbidden)('%s may not: %s', async (role, statement) => {
    await expect(sql.raw(statement).execute(as(role))).rejects.toThrow(/permission denied/)
  })
})

import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { functions, tables } from '../../infra/migrations/access.ts'
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

  test('have exactly the grants that access.ts names, and PUBLIC has none', async () => {
    const { rows } = await sql<{ fact: string }>`
      select concat_ws(' ', coalesce(nullif(grantee, 0)::regrole::text, 'PUBLIC'), lower(privilege_type), name) as fact
      from (
        select relname as name, relowner as owner, relacl as acl from pg_class
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'S')
        union all select relname || '.' || attname, relowner, attacl from pg_attribute join pg_class c on c.oid = attrelid
          where relnamespace = 'public'::regnamespace and attacl is not null
        union all select proname, proowner, coalesce(proacl, acldefault('f', proowner)) from (${ownFunctions}) p
      ) each cross join aclexplode(acl)
      where grantee <> owner`.execute(stand.db)
    const onTables = Object.entries(tables).flatMap(([table, { every: _, ...access }]) =>
      Object.entries(access).flatMap(([names, privileges]) =>
        [...privileges.matchAll(/(select|insert|update|delete)(?: \(([^)]*)\))?(?=,|$)/g)].flatMap(
          ([, verb, columns]) =>
            (columns?.split(',').map((column) => `${table}.${column.trim()}`) ?? [table]).flatMap((object) =>
              names.startsWith('policy ') ? [] : names.split(' ').map((role) => `cuecard_${role} ${verb} ${object}`),
            ),
        ),
      ),
    )
    const onFunctions = Object.entries(functions).flatMap(([names, granted]) =>
      names.split(/\s+/).flatMap((name) => granted.split(' ').map((role) => `cuecard_${role} execute ${name}`)),
    )
    expect(onTables.length).toBeGreaterThan(1000)
    expect(rows.map(({ fact }) => fact).sort()).toEqual([...new Set([...onTables, ...onFunctions])].sort())
  })

  const forbidden = linesOf(`
    agents: select content from documents; select ready_document_count from agents; update agents set knowledge_version = 0; \
      select title from source_pages; update source_pages set address = null; update sources set url = null; \
      update documents set title = null
    chunks: select requested_by from documents; select title from document_revisions; \
      update chunks set content = null; update vectors set embedding = null; \
      update chunks set vector_id = null; select content from documents; update documents set title = null; \
      delete from documents; update chunks set terms = null
    crawler: select find_key('x'); insert into sources select from sources; \
      update sources set url = null; select key_hash from api_keys; update packs set chunks = null; \
      update chunks set content = null; select secret from signing_secrets; update documents set organization_id = null
    dashboard: select key_hash from api_keys; update api_keys set permissions = null; delete from api_keys; \
      select cursor_key from organizations; select find_key(null); insert into sessions select from sessions; \
      update sessions set expires_at = null; update calls set done_at = null; insert into calls select from calls; \
      update agents set knowledge_version = 0; select secret from signing_secrets; delete from sign_in_attempts; \
      select content from source_pages; delete from source_pages; update sources set crawl = 0
    documents: select source_url from obsolete_files; select id from calls; \
      update agents set ready_document_count = 1; insert into api_keys select from api_keys; \
      insert into chunks select from chunks; update documents set organization_id = null; delete from packs; \
      update packs set chunks = null; select secret from signing_secrets; select find_signed_in('x'); \
      select key_hash from api_keys; delete from document_revisions; insert into document_revisions select from agents; \
      select token_hash from sessions
    embedding: select find_key('x'); update documents set content = null; update documents set corrections = '[]'; \
      update documents set source_url = null; select key_hash from api_keys; update documents set content = null; \
      update vectors set embedding = null; delete from packs; update packs set chunks = null
    extraction: select extracted_text from documents; select content from documents; select title from documents; \
      update documents set content = null; update documents set source_url = null; \
      update documents set revision = 2; update documents set active_revision = 1; \
      update documents set managed_by = null; delete from documents; select id from chunks; select title from packs; \
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
    questions: select created_at from agents; select content from documents; delete from question_log; \
      update question_log set asked_at = now(); insert into question_log (is_wrong) values (true)
    search: delete from documents; delete from vectors; delete from packs; delete from query_vectors; \
      update query_vectors set embedding = null; select exponent from vectors; \
      select id from documents for update; select content from documents; select response from idempotency_keys; \
      select secret from signing_secrets; select question from question_log; insert into question_log (asked_at) values (null)
    sweeper: select question from question_log; select content from documents; select title from documents; \
      select response from idempotency_keys; select extracted_text from documents; \
      update obsolete_files set source_url = null; insert into obsolete_files select from obsolete_files; \
      select content from document_revisions; select name from organizations; \
      select url from sources; select title from source_pages; update sources set next_check_at = now(); \
      select api_key_id from sessions; select chunks from packs; update packs set chunks = null; \
      update chunks set content = null
  `).flatMap((line) => {
    const [role, statements] = line.split(': ')
    return statements!.split('; ').map((statement) => [`cuecard_${role}`, statement] as const)
  })
  test.each(forbidden)('%s may not: %s', async (role, statement) => {
    await expect(sql.raw(statement).execute(as(role))).rejects.toThrow(/permission denied/)
  })
})

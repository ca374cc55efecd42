import { sql } from 'kysely'
import { dashboardApp } from '../../functions/dashboard/app.ts'
import { type ScreenMetadata, screenMetadata } from '../../functions/dashboard/screen.ts'
import { createKey } from '../../infra/admin/keys.ts'
import { addPerson } from '../../infra/admin/people.ts'
import { createCheck } from '../../shared/checks/store.ts'
import { Database } from '../../shared/database/database.ts'
import { deleteDocument } from '../../shared/documents/client/documents.ts'
import { createFileDocument } from '../../shared/documents/client/file-document.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { type AgentId, type DocumentId, newId, type OrganizationId } from '../../shared/ids.ts'
import { connected } from '../connect/connected.ts'
import type { Tenant } from '../support/stand/stand.ts'
import { unusedPresigner } from '../support/stand/unused-presigner.ts'

interface Route {
  method: string
  path: string
}

const unused = () => {
  throw new Error('This app is only described, not called')
}
const db = new Database({ url: unused, timeoutSeconds: 1 })
const routes = dashboardApp({
  db,
  embedder: lexicalEmbedder(),
  queue: { send: unused },
  mailer: { send: unused },
  oidc: {
    issuer: 'https://accounts.example.com',
    clientId: '',
    clientSecret: unused,
    name: '',
    isLoopbackAllowed: false,
  },
  presigner: unusedPresigner,
})
  .routes.filter(({ method }) => method !== 'ALL')
  .map(({ method, path, handler }) => ({ method, path, metadata: screenMetadata(handler) }))

/** Every route that needs a session, including new ones. */
export const screenRoutes = routes.filter((route): route is Route & { metadata: ScreenMetadata } => !!route.metadata)

/** All other routes; a test lists them. */
export const publicRoutes = routes.filter(({ metadata }) => !metadata).map(({ method, path }) => `${method} ${path}`)

const idNames = [
  ...(['agentId', 'documentId', 'callId', 'keyId', 'personId', 'connectionId'] as const),
  ...(['revision', 'goldenQuestionId', 'sourceId', 'trashedId'] as const),
]
/** The values of a path's variables. `trashedId` is a document in the trash. */
export type Ids = Record<(typeof idNames)[number], string>

/** Gives each variable a value. */
export const idsOf = (value: () => string) => Object.fromEntries(idNames.map((name) => [name, value()])) as Ids
/** Ids that nothing has. */
export const never = (): Ids => ({ ...idsOf(newId), revision: '1' })

/** A path with its variables filled in. @throws Error at one that the tests do not know */
export function fill(path: string, ids: Ids): string {
  return path.replace('*', 'nowhere').replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = ids[name as keyof Ids]
    if (value === undefined) throw new Error(`The tests have no value for :${name}`)
    return value
  })
}

/** The addresses of all screens with these ids, but for files and an app's request. */
export const screensOf = (ids: Ids) =>
  screenRoutes
    .filter(({ method, path }) => method === 'GET' && !/\/(\*|file|connect)$/.test(path))
    .map(({ path }) => fill(path, ids))

/** Creates one of each thing that screens show, such as a file's document with an earlier text, a golden question and a second key. @param db as the owner */
export async function makeThings(db: Database, { organizationId, agentId }: Tenant): Promise<Ids> {
  const scope = { organizationId: organizationId as OrganizationId, agentId: agentId as AgentId }
  const key = await createKey(db, { organizationId: scope.organizationId, name: 'Second', permissions: ['kb:read'] })
  const file = { title: 'Prices', fileName: 'prices.pdf', fileBytes: 1, bucket: 'files' }
  const { document } = await createFileDocument(db, scope, file, {})
  await sql`insert into document_revisions (organization_id, document_id, revision, text_revision, agent_id, title, content, created_at)
    values (${organizationId}, ${document.id}, 1, 1, ${agentId}, 'Prices', 'Two for one.', now())`.execute(db)
  const own = db.forOrganization(scope.organizationId)
  const golden = await createCheck({ db: own, embedder: lexicalEmbedder() }, scope, {
    question: 'What does it cost?',
    document_id: document.id,
    words: null,
    expects_nothing: false,
    within: 3,
    on_failure: 'warn',
    as_of: null,
  })
  const sourceId = await makeWebsite(db, { organizationId, agentId })
  const { document: trashed } = await createFileDocument(db, scope, { ...file, title: 'Old prices' }, {})
  await deleteDocument(own, { ...scope, documentId: trashed.id as DocumentId }, { toTrash: true })
  const member = { organization: scope.organizationId, mail: `${newId()}@example.com`, role: 'viewer' as const }
  const { id: personId } = await addPerson(db, member)
  const ids = {
    agentId,
    personId,
    connectionId: (await connected(db, { organizationId, agentId })).id,
    documentId: document.id,
    keyId: key.id,
    revision: '1',
    goldenQuestionId: golden.id,
  }
  return { ...ids, callId: await makeTrashedCall(db, { organizationId, agentId }), sourceId, trashedId: trashed.id }
}

/** A source that was looked at, with a page that became a document and one that was left out. */
export async function makeWebsite(
  db: Database,
  { organizationId, agentId }: Pick<Tenant, 'organizationId' | 'agentId'>,
) {
  const [id, url] = [newId(), 'https://paws-inn.example/']
  const [prices, basket] = [`${url}${'prices-'.repeat(9)}`, `${url}basket`]
  await sql`insert into sources (organization_id, id, agent_id, url, address, kind, refresh_hours, status, checked_at, next_check_at, crawl)
    values (${organizationId}, ${id}, ${agentId}, ${url}, ${url}, 'site', 24, 'ready', now(), now() + interval '1 day',
      1)`.execute(db)
  await sql`insert into source_pages (organization_id, agent_id, source_id, address, crawl, left_out, looked_at)
    select ${organizationId}, ${agentId}, ${id}, address, 1, left_out, now() - interval '1 minute'
    from (values (${prices}, null), (${basket}, 'It asks not to be listed (noindex).'))
      page(address, left_out)`.execute(db)
  await sql`insert into documents (organization_id, id, agent_id, title, external_id, source_id, source_type, content, content_hash,
      managed_by, status)
    values (${organizationId}, ${newId()}, ${agentId}, 'Prices of the inn', ${prices}, ${id}, 'txt', 'A night costs 35 euros.', '',
      'service', 'pending')`.execute(db)
  return id
}

/** A file that resembles another document, and waits for a person. */
export async function makeHeld(db: Database, { organizationId, agentId }: Tenant, resembles: string): Promise<string> {
  const scope = { organizationId: organizationId as OrganizationId, agentId: agentId as AgentId }
  const file = { fileName: `${'Prices-'.repeat(15)}.txt`, fileBytes: 1, bucket: 'files' }
  const asked = { mayReplace: true, replaces: resembles as DocumentId }
  const { document } = await createFileDocument(db, scope, file, {}, asked)
  await sql`update documents set extracted_text = ${`A bike costs ${'€'.repeat(150)}.`}, content_hash = '\\x00'
    where id = ${document.id}`.execute(db)
  return document.id
}

/** Everything that the database has of an organization, in one statement. @param db as the owner */
export async function rowsOf(db: Database, organizationId: string): Promise<string> {
  tables ??= await sql<{ name: string }>`select table_name as name from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where column_name = 'organization_id' and table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db)
  const columns = [
    ...tables.rows.map(({ name }) => [name, 'organization_id'] as const),
    ['organizations', 'id'] as const,
  ]
  const own = columns.map(
    ([table, column]) => sql`(select jsonb_agg(to_jsonb(each) order by to_jsonb(each)) from ${sql.table(table)} each
      where ${sql.ref(column)} = ${organizationId})`,
  )
  const links = sql`(select jsonb_agg(to_jsonb(each) order by created_at) from sign_in_links each)`
  const { rows } = await sql`select jsonb_build_array(${sql.join([...own, links])}) as found`.execute(db)
  return JSON.stringify(rows)
}
let tables: { rows: { name: string }[] } | undefined

/** @param minutesAgo when it was deleted */
export async function makeTrashedCall(
  db: Database,
  { organizationId, agentId }: Pick<Tenant, 'organizationId' | 'agentId'>,
  minutesAgo = 0,
) {
  const id = newId()
  await sql`insert into calls (organization_id, id, agent_id, created_at, done_at, deleted_at)
    select ${organizationId}, ${id}, ${agentId}, at - interval '5 minutes', at, at
    from (select now() - make_interval(mins => ${minutesAgo})) deletion(at)`.execute(db)
  return id
}

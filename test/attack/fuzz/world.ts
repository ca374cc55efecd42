import { sql } from 'kysely'
import { createAgent, setRetellSecret } from '../../../infra/admin/agents.ts'
import { createKey, revokeKey } from '../../../infra/admin/keys.ts'
import { newKey } from '../../../shared/http/api-keys.ts'
import { newId, type OrganizationId } from '../../../shared/ids.ts'
import { type Permission, permissions } from '../../../shared/organizations/permissions.ts'
import { storeQuestions } from '../../support/documents/asked-questions.ts'
import { createFile } from '../../support/documents/files.ts'
import type { Tenant, TestStand } from '../../support/stand/stand.ts'

export type Who = 'A' | 'B'

/** One of two tenants, with a document of each kind. */
export interface Side {
  tenant: Tenant
  /** Every text that is stored for the tenant has this mark. */
  mark: string
  /** Ids, cursors and entity tags that requests may name. */
  names: Record<string, string>
  keys: Record<string, { key: string; permissions: readonly Permission[] }>
}

export type World = Record<Who, Side>

/** The documents under the first agent. */
export const documentNames = ['completed', 'pending', 'empty', 'own', 'draft', 'failed', 'processing', 'file'] as const
/** Keys of one permission each, and those that open nothing. */
export const narrowKeys = permissions.map((permission) => permission.replace(':', '_'))
export const deadKeys = ['revoked', 'expired', 'unknown', 'malformed', 'lowercase'] as const

export async function makeWorld(stand: TestStand): Promise<World> {
  return { A: await makeSide(stand, 'A'), B: await makeSide(stand, 'B') }
}

async function makeSide(stand: TestStand, who: Who): Promise<Side> {
  const tenant = await stand.tenant()
  const mark = `marker${who}${crypto.randomUUID().slice(0, 8)}`
  const organizationId = tenant.organizationId as OrganizationId
  await sql`update organizations set name = ${mark}, log_questions = true where id = ${organizationId}`.execute(
    stand.db,
  )
  await sql`update agents set name = ${mark} where id = ${tenant.agentId}`.execute(stand.db)
  const sibling = await createAgent(stand.db, organizationId, `${mark} sibling`)
  await setRetellSecret(stand.db, sibling.id, `${mark} secret`)

  const create = async (title: string, content?: string, agentId = tenant.agentId): Promise<string> => {
    const body = { title: `${mark} ${title}`, ...(content !== undefined && { content }) }
    return (await tenant.call('POST', `/v1/agents/${agentId}/knowledge-base`, body)).body.id
  }
  const upload = (id: string, count: number) =>
    tenant.call('POST', `${tenant.knowledgeBase}/${id}/chunks`, { chunks: chunksOf(mark, count) })
  const text = `${mark}: on Sunday we are closed, parking is behind the house.`

  const prices = 'Prices differ by season. '.repeat(150)
  const completed = await create('completed', prices)
  const failed = await create('failed', text)
  const nephew = await create('nephew', text, sibling.id)
  const own = await create('own')
  const draft = await create('draft', text)
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${completed}`, { external_id: completed })
  await upload(own, 3)
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${own}`, { status: 'completed' })
  await stand.deliver()
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${completed}`, { content: `${text}\n\n${prices}` })
  await stand.deliver()
  await storeQuestions(stand, tenant, ...['one', 'two'].map((each) => ({ question: `${mark} ${each}`, call_id: mark })))
  const goldenOf = async (agentId: string): Promise<string> => {
    const body = { question: `${mark}: where can I park?`, expects: { words: 'behind the house' } }
    return (await tenant.call('POST', `/v1/agents/${agentId}/golden-questions`, body)).body.id
  }
  const [golden, nephewGolden] = [await goldenOf(tenant.agentId), await goldenOf(sibling.id)]
  await goldenOf(tenant.agentId)
  const sourceOf = async (agentId: string): Promise<string> => {
    const body = { url: `https://${mark}.example/${newId()}`.toLowerCase() }
    return (await tenant.call('POST', `/v1/agents/${agentId}/sources`, body)).body.id
  }
  const [source, nephewSource] = [await sourceOf(tenant.agentId), await sourceOf(sibling.id)]
  await sourceOf(tenant.agentId)
  for (const page of ['a', 'b'])
    await sql`insert into source_pages (organization_id, agent_id, source_id, address, crawl)
      values (${organizationId}, ${tenant.agentId}, ${source}, ${`https://${mark}.example/${page}`}, 1)`.execute(
      stand.db,
    )
  const hook = { url: `https://${mark}.example/`, events: ['document.failed'] }
  const makeHook = async () => (await tenant.call('POST', '/v1/webhooks', hook)).body.id
  const [, webhook] = [await makeHook(), await makeHook()]
  const sendTest = async () => (await tenant.call('POST', `/v1/webhooks/${webhook}/test`)).body.id
  const [, delivery] = [await sendTest(), await sendTest()]
  await upload(draft, 2)
  const pending = await create('pending', text)
  const processing = await create('processing', text)
  const empty = await create('empty')
  const deleted = await create('deleted', text)
  await tenant.call('DELETE', `${tenant.knowledgeBase}/${deleted}`)
  const file = await createFile(stand, tenant, { fileName: `${mark}.txt`, title: `${mark} file` })
  await sql`update documents set status = 'error', error_code = 'chunk_refused', error_message = 'Refused.'
    where id = ${failed}`.execute(stand.db)
  await sql`update documents set status = 'processing', lease_token = id, lease_expires_at = now() + interval '1 day'
    where id = ${processing}`.execute(stand.db)

  const nextOf = async (path: string): Promise<string> => (await tenant.call('GET', path)).body.next_cursor
  const etagOf = async (id: string): Promise<string> =>
    (await tenant.call('GET', `${tenant.knowledgeBase}/${id}`)).headers.etag!
  return {
    tenant,
    mark,
    keys: await makeKeys(stand, tenant),
    names: {
      mark,
      organization: organizationId,
      agent: tenant.agentId,
      sibling: sibling.id,
      completed,
      pending,
      empty,
      own,
      draft,
      failed,
      processing,
      file: file.id,
      nephew,
      deleted,
      golden,
      nephewGolden,
      source,
      nephewSource,
      webhook,
      delivery,
      documentsCursor: await nextOf(`${tenant.knowledgeBase}?limit=1`),
      filteredCursor: await nextOf(`${tenant.knowledgeBase}?limit=1&status=completed`),
      chunksCursor: await nextOf(`${tenant.knowledgeBase}/${own}/chunks?limit=1`),
      agentsCursor: await nextOf('/v1/agents?limit=1'),
      questionsCursor: await nextOf(`/v1/agents/${tenant.agentId}/questions?limit=1`),
      revisionsCursor: await nextOf(`${tenant.knowledgeBase}/${completed}/revisions?limit=1`),
      checkCursor: await nextOf(`/v1/agents/${tenant.agentId}/golden-questions?limit=1`),
      webhooksCursor: await nextOf('/v1/webhooks?limit=1'),
      deliveriesCursor: await nextOf(`/v1/webhooks/${webhook}/deliveries?limit=1`),
      sourcesCursor: await nextOf(`/v1/agents/${tenant.agentId}/sources?limit=1`),
      pagesCursor: await nextOf(`/v1/agents/${tenant.agentId}/sources/${source}/pages?limit=1`),
      etagCompleted: await etagOf(completed),
      etagOwn: await etagOf(own),
    },
  }
}

async function makeKeys({ db }: TestStand, tenant: Tenant): Promise<Side['keys']> {
  const organizationId = tenant.organizationId as OrganizationId
  const make = (name: string, granted: Permission[], expiresAt?: Date) =>
    createKey(db, { organizationId, name, permissions: granted, ...(expiresAt && { expiresAt }) })
  const revoked = await make('revoked', [...permissions])
  await revokeKey(db, revoked.id)
  const expired = await make('expired', [...permissions])
  await sql`update api_keys set expires_at = now() - interval '1 second' where id = ${expired.id}`.execute(db)
  const narrow = permissions.map(async (permission, i) => {
    const { key } = await make(permission, [permission])
    return [narrowKeys[i]!, { key, permissions: [permission] }] as const
  })
  const dead = (key: string) => ({ key, permissions: [] })
  return {
    ...Object.fromEntries(await Promise.all(narrow)),
    full: { key: tenant.apiKey, permissions },
    revoked: dead(revoked.key),
    expired: dead(expired.key),
    unknown: dead(newKey()),
    malformed: dead(`${tenant.apiKey.slice(0, -1)}!`),
    lowercase: dead(tenant.apiKey.toUpperCase()),
  }
}

function chunksOf(mark: string, count: number) {
  return Array.from({ length: count }, (_, i) => ({
    content: `${mark} passage ${i} about parking`,
    chunk_index: i,
    metadata: { mark, place: i },
    embedding: Array.from({ length: 1536 }, (_, j) => Math.sin(i + j)),
  }))
}

const placeholder = /<(mine|theirs|never)\.([a-zA-Z]+)(\^?)>/g
const never = newId()

/** Fills in the names in a generated text for its sender: `<mine.completed>`, `<theirs.agent>`; `^` makes it upper case. */
export function named(world: World, who: Who, text: string): string {
  return text.replaceAll(placeholder, (_, whose: string, name: string, upper: string) => {
    const owner: Who = whose === 'mine' ? who : who === 'A' ? 'B' : 'A'
    const value = whose === 'never' ? never : world[owner].names[name]
    if (value === undefined) throw new Error(`Nothing is called ${whose}.${name}`)
    return upper ? value.toUpperCase() : value
  })
}

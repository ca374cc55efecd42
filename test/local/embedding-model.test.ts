import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { followModel } from '../../infra/local/embedding-model.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cuecard-model-'))
})
afterAll(() => rm(home, { recursive: true }))

const file = () => join(home, 'embedding-model')
const kept = { ...process.env }
afterEach(async () => {
  await rm(file(), { force: true })
  for (const name of Object.keys(process.env)) if (/^(PREVIOUS_)?EMBEDDING_/.test(name)) delete process.env[name]
  Object.assign(process.env, kept)
  const settled = { next_model: null, former_model: null, former_until: null, model_due_at: null, model: null }
  await stand.db.updateTable('agents').set(settled).execute()
})

async function start(settings: Record<string, string>): Promise<number> {
  for (const name of Object.keys(process.env)) if (name.startsWith('PREVIOUS_')) delete process.env[name]
  Object.assign(process.env, settings)
  return await followModel(stand.db, home)
}

async function serving(): Promise<Tenant> {
  await sql`delete from organizations`.execute(stand.db)
  const tenant = await stand.tenant()
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Own' })
  const chunks = [{ content: 'a', chunk_index: 0, embedding: axis(1) }]
  await tenant.call('POST', `${tenant.knowledgeBase}/${body.id}/chunks`, { chunks })
  return tenant
}

const embeddingOf = async ({ call, agentId }: Tenant) => (await call('GET', `/v1/agents/${agentId}`)).body.embedding

test('agents start to change after a start with another model, and the former settings serve them meanwhile', async () => {
  const tenant = await serving()
  expect(await start({ EMBEDDING_MODEL: 'lexical' })).toBe(0)
  const provider = { EMBEDDING_BASE_URL: 'http://127.0.0.1:1/v1', EMBEDDING_MODEL: 'other', EMBEDDING_API_KEY: 'sk-1' }
  expect(await start(provider)).toBe(1)
  expect(process.env).toMatchObject({ PREVIOUS_EMBEDDING_MODEL: 'lexical' })
  expect(await embeddingOf(tenant)).toMatchObject({ model: 'lexical-2', next: { model: 'other', embedded: 0 } })
  expect(await start({ EMBEDDING_API_KEY: 'sk-2' })).toBe(0)
  expect(process.env).toMatchObject({ PREVIOUS_EMBEDDING_MODEL: 'lexical' })
  expect(await start({ EMBEDDING_MODEL: 'lexical', EMBEDDING_BASE_URL: '', EMBEDDING_API_KEY: '' })).toBe(1)
  expect(process.env).toMatchObject({ PREVIOUS_EMBEDDING_MODEL: 'other', PREVIOUS_EMBEDDING_API_KEY: 'sk-2' })
  expect(await embeddingOf(tenant)).toEqual({ model: 'lexical-2', next: null })
  expect((await stat(file())).mode & 0o077).toBe(0)
})

test('a directory of an older stand has only a model, which becomes its agents’ model', async () => {
  const tenant = await serving()
  await writeFile(file(), 'encoder-1')
  expect(await start({ EMBEDDING_MODEL: 'lexical' })).toBe(1)
  expect(await embeddingOf(tenant)).toMatchObject({ model: 'encoder-1', next: { model: 'lexical-2' } })
  expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({ previous: { MODEL: 'encoder' } })
})

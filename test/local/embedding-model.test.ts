import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followModel } from '../../infra/local/embedding-model.ts'
import { useStand } from '../support/stand.ts'
import { limit } from '../support/tenant.ts'

const stand = useStand()
let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cuecard-model-'))
})
afterAll(() => rm(home, { recursive: true }))

test('with another model than at the last start, completed documents are embedded again, but for those of callers’ own chunks', async () => {
  const tenant = await stand.tenant()
  for (const [title, content] of [['Text', 'A text.'], ['Own']])
    await tenant.call('POST', tenant.knowledgeBase, { title, content })
  const statuses = async () => {
    const { body } = await tenant.call('GET', tenant.knowledgeBase)
    return Object.fromEntries(body.data.map(({ title, status }: Record<string, string>) => [title, status]))
  }
  const complete = sql`update documents set status = 'completed' where organization_id = ${tenant.organizationId}`
  const starts = async (model: string) => {
    await complete.execute(stand.db)
    await followModel(stand.db, home, model)
    return (await statuses()).Text
  }
  expect(await starts('lexical-2')).toBe('pending')
  expect(await starts('lexical-2')).toBe('completed')
  expect(await starts('encoder-1')).toBe('pending')
  expect(await statuses()).toEqual({ Text: 'pending', Own: 'completed' })
})

test('an organization may have more documents than its pipeline’s limit, which holds for callers as before', async () => {
  const tenant = await stand.tenant()
  const post = (title: string) => tenant.call('POST', tenant.knowledgeBase, { title, content: 'A text.' })
  for (const title of ['One', 'Two', 'Three']) await post(title)
  await sql`update documents set status = 'completed' where organization_id = ${tenant.organizationId}`.execute(
    stand.db,
  )
  await limit(stand.db, tenant.organizationId, { documents_in_pipeline: 2 })
  expect(await followModel(stand.db, home, 'lexical-3')).toBe(3)
  const { body } = await tenant.call('GET', tenant.knowledgeBase)
  expect(body.data.map(({ status }: Record<string, string>) => status)).toEqual(['pending', 'pending', 'pending'])
  expect(await post('Four')).toMatchObject({ status: 429 })
  const [{ id }] = body.data
  await sql`update documents set status = 'completed' where id = ${id}`.execute(stand.db)
  expect(await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { status: 'pending' })).toMatchObject({
    status: 429,
  })
})

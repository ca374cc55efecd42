import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { statements } from '../support/database/faulty-connection.ts'
import { createDocument, newDocument } from '../support/documents/documents.ts'
import { axis } from '../support/provider/axis.ts'
import { keptQueue, sweeperWith } from '../support/stand/worker.ts'
import { cuts, cutsWhileOpen, upload, useRaces } from './races.ts'

const { stand, connection, rowsOf, contents, work } = useRaces()

test('sweepers that run at once send a lost message once', async () => {
  const tenant = await stand.tenant()
  const documents = await Promise.all(Array.from({ length: 12 }, (_, i) => createDocument(tenant, `Text ${i}.`)))
  await sql`update documents set resend_at = resend_at - interval '1 hour', pending_since = pending_since - interval '1 hour'
    where organization_id = ${tenant.organizationId}`.execute(stand.db)
  const { queue, sent } = keptQueue()
  await Promise.all([1, 2, 3].map(() => sweep(sweeperWith(queue))))
  const ids = new Set(documents.map(({ id }) => id))
  const resent = sent.map((each) => each.id).filter((id) => ids.has(id))
  expect(resent.sort()).toEqual([...ids].sort())
})

describe('among requests,', () => {
  test('a PATCH decided just before another request changes the document is decided again', async () => {
    const { tenant, document } = await newDocument(stand)
    const patch = (body: object) => tenant.call('PATCH', document.path, body)
    await tenant.call('POST', `${document.path}/chunks`, upload(0))
    connection.before(statements.updateDocument, () => tenant.call('DELETE', `${document.path}/chunks`))
    expect(await patch({ status: 'completed' })).toMatchObject({ status: 409, body: { code: 'no_chunks' } })
    connection.before(statements.updateDocument, () => patch({ content: 'Theirs.' }))
    expect(await patch({ content: 'Mine.' })).toMatchObject({ status: 200, body: { content: 'Mine.' } })
    connection.before(statements.updateDocument, () => work([document]))
    expect(await patch({ title: 'Mine' })).toMatchObject({ status: 200, body: { title: 'Mine', status: 'completed' } })
    expect(await contents(tenant, document)).toEqual(['Mine.'])
  })

  test('a request whose key is revoked meanwhile takes effect completely or not at all', async () => {
    const tenant = await stand.tenant()
    const [answer] = await Promise.all([
      tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'Text.' }),
      sql`update api_keys set revoked_at = now() where organization_id = ${tenant.organizationId}`.execute(stand.db),
    ])
    const rows = await rowsOf(sql`select id from documents where organization_id = ${tenant.organizationId}`)
    expect(rows).toEqual(answer.status === 201 ? [{ id: answer.body.id }] : [])
    expect([201, 401]).toContain(answer.status)
  })

  // A write without a key is not repeated.
  test.each(cutsWhileOpen)(
    'a POST whose connection is cut %s it gets a 503, and its repetition makes one document',
    async (when) => {
      const tenant = await stand.tenant()
      const make = (headers = {}) =>
        tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'Text.' }, headers)
      const count = async () => (await tenant.call('GET', tenant.knowledgeBase)).body.data.length
      const away = {
        status: 503,
        headers: { 'retry-after': expect.any(String) },
        body: { code: 'temporarily_unavailable' },
      }
      connection.cut(when, statements.createDocument)
      expect(await make()).toMatchObject(away)
      const made = when === 'before' ? 0 : 1
      expect(await count()).toBe(made)
      connection.cut(when, statements.createDocument)
      const key = { 'idempotency-key': 'k' }
      expect(await make(key)).toMatchObject(away)
      expect(await make(key)).toMatchObject({ status: 201 })
      expect(await count()).toBe(made + 1)
    },
  )

  test.each(cuts)('a search whose connection is cut, %s its statement, is sent once more', async (when) => {
    const tenant = await stand.tenant()
    const search = () => tenant.call('POST', `${tenant.knowledgeBase}/search`, { embedding: axis(1) })
    connection.cut(when, statements.search)
    expect((await search()).status).toBe(200)
    connection.cut(when, statements.search, 2)
    expect((await search()).status).toBe(503)
  })

  test('a write is sent once more if its connection never opened', async () => {
    const tenant = await stand.tenant()
    const make = () => tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'Text.' })
    connection.cut('unopened', statements.createDocument)
    expect((await make()).status).toBe(201)
    connection.cut('unopened', statements.createDocument, 2)
    expect((await make()).status).toBe(503)
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toHaveLength(1)
  })
})

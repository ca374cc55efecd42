import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
const inn = 'https://paws-inn.example/'

async function tenant() {
  const made = await stand.tenant()
  const sources = `/v1/agents/${made.agentId}/sources`
  const create = async (more: object = {}) => (await made.call('POST', sources, { url: inn, ...more })).body
  return { ...made, sources, create }
}

/** Gives a source the documents of a crawl that has read these paths. */
async function give({ agentId, organizationId }: Tenant, source: string, paths: string[]) {
  for (const path of paths) {
    await sql`insert into documents (organization_id, id, agent_id, title, external_id, source_id, source_type, content, content_hash,
        managed_by, status)
      values (${organizationId}, gen_random_uuid(), ${agentId}, ${path}, ${inn + path}, ${source}, 'txt', ${`About ${path}.`}, '',
        'service', 'pending')`.execute(stand.db)
    await sql`insert into source_pages (organization_id, agent_id, source_id, address, crawl, found, looked_at)
      values (${organizationId}, ${agentId}, ${source}, ${inn + path}, 1, 'page', now())`.execute(stand.db)
  }
}

describe('a source', () => {
  test('is created as pending, listed newest first, changed and deleted', async () => {
    const { call, sources } = await tenant()
    const { status, headers, body } = await call('POST', sources, { url: inn, exclude: ['/blog/*'] })
    expect(status).toBe(201)
    expect(headers.location).toBe(`${sources}/${body.id}`)
    expect(body).toMatchObject({
      url: inn,
      kind: 'site',
      include: [],
      exclude: ['/blog/*'],
      refresh_hours: 24,
      status: 'pending',
      error_message: null,
      notice: null,
      page_count: 0,
      checked_at: null,
    })
    const { body: page } = await call('POST', sources, { url: `${inn}prices`, kind: 'page', refresh_hours: 1 })
    const { body: list } = await call('GET', `${sources}?limit=1`)
    expect(list).toMatchObject({ data: [{ id: page.id, kind: 'page' }], has_more: true })
    expect((await call('GET', `${sources}?cursor=${list.next_cursor}`)).body.data).toEqual([body])
    const changed = await call('PATCH', `${sources}/${body.id}`, { include: ['/a/*'], refresh_hours: 2 })
    expect(changed.body).toMatchObject({ include: ['/a/*'], exclude: ['/blog/*'], refresh_hours: 2 })
    expect((await call('DELETE', `${sources}/${body.id}`)).status).toBe(204)
    expect((await call('GET', `${sources}/${body.id}`)).body.code).toBe('source_not_found')
    expect((await call('DELETE', `${sources}/${body.id}`)).body.code).toBe('source_not_found')
  })

  test('with an address that is not public, or with invalid paths, is refused', async () => {
    const { call, sources } = await tenant()
    const urls = 'http://paws-inn.example https://10.0.0.1 https://localhost:99 https://a:b@paws-inn.example ftp://x x'
    const bodies = [
      ...urls.split(' ').map((url) => ({ url })),
      ...[{ kind: 'shop' }, { include: ['blog'] }, { exclude: 'x' }, { refresh_hours: 0 }, { refresh_hours: 721 }].map(
        (more) => ({ url: inn, ...more }),
      ),
    ]
    for (const body of bodies) expect((await call('POST', sources, body)).status, JSON.stringify(body)).toBe(422)
    expect((await call('GET', sources)).body.data).toEqual([])
  })

  test('whose address has no scheme is refused, and the error says how it must begin', async () => {
    const made = await tenant()
    const loopback = 'must begin with https://, or with http:// for an address of this machine'
    for (const [isAllowed, detail] of [
      ['false', 'must begin with https://'],
      ['true', loopback],
    ] as const) {
      process.env.ALLOW_LOOPBACK = isAllowed
      for (const [path, body] of [
        [made.sources, { url: '127.0.0.1:9000' }],
        ['/v1/webhooks', { url: 'localhost:9000', events: ['document.completed'] }],
      ] as const)
        expect((await made.call('POST', path, body)).body.errors).toMatchObject([{ pointer: '/url', detail }])
    }
    delete process.env.ALLOW_LOOPBACK
  })

  test('keeps its address and kind', async () => {
    const { call, sources, create } = await tenant()
    const { id } = await create()
    for (const body of [{ url: inn }, { kind: 'page' }, {}])
      expect((await call('PATCH', `${sources}/${id}`, body)).status, JSON.stringify(body)).toBe(422)
  })

  test('is refused if its agent has one with the same address, in any form and of any kind', async () => {
    const { call, sources, create } = await tenant()
    await create()
    const url = 'HTTPS://paws-inn.example?utm_source=x#top'
    const answers = await Promise.all(['site', 'page'].map((kind) => call('POST', sources, { url, kind })))
    for (const { status, body } of answers) expect([status, body.code]).toEqual([409, 'source_exists'])
    expect((await call('GET', sources)).body.data).toHaveLength(1)
    const both = await Promise.all([1, 2].map(() => call('POST', sources, { url: `${inn}new` })))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    const other = await tenant()
    expect((await other.call('POST', other.sources, { url })).status).toBe(201)
  })

  test('is refused if its organization has 20, even if all are created at once', async () => {
    const { call, sources } = await tenant()
    const answers = await Promise.all(Array.from({ length: 25 }, (_, at) => call('POST', sources, { url: inn + at })))
    const refused = answers.filter(({ status }) => status === 422)
    expect(refused).toHaveLength(5)
    expect(refused[0]!.body.detail).toBe('An organization can have at most 20 sources. Delete a source first.')
  })

  test('lists its pages, and limits a list of documents to its own', async () => {
    const made = await tenant()
    const { call, sources, knowledgeBase, create } = made
    const { id } = await create()
    await give(made, id, ['b', 'a'])
    await call('POST', knowledgeBase, { title: 'Own', content: 'Not of the source.' })
    const pages = `${sources}/${id}/pages`
    const { body: first } = await call('GET', `${pages}?limit=1`)
    expect(first.data).toMatchObject([{ address: `${inn}a`, document_id: expect.any(String), left_out: null }])
    const { body: second } = await call('GET', `${pages}?cursor=${first.next_cursor}`)
    expect(second).toMatchObject({ data: [{ address: `${inn}b` }], has_more: false })
    const { body: documents } = await call('GET', `${knowledgeBase}?source_id=${id}`)
    const externalIds = documents.data.map((each: { external_id: string }) => each.external_id)
    expect(externalIds.sort()).toEqual([`${inn}a`, `${inn}b`])
    expect(documents.data[0]).toMatchObject({ source_id: id, source_type: 'txt', source_url: null })
    expect((await call('GET', `${sources}/${id}`)).body.page_count).toBe(2)
  })

  test('is deleted with its documents, except one whose content a client has changed', async () => {
    const made = await tenant()
    const { call, sources, knowledgeBase, create } = made
    const { id } = await create()
    await give(made, id, ['a', 'b'])
    const { body: documents } = await call('GET', knowledgeBase)
    const own = documents.data[0].id
    expect((await call('PATCH', `${knowledgeBase}/${own}`, { title: 'Other' })).body.source_id).toBe(id)
    const { body } = await call('PATCH', `${knowledgeBase}/${own}`, { content: 'My own words.' })
    expect(body).toMatchObject({ source_id: null, source_type: 'manual' })
    expect((await call('DELETE', `${sources}/${id}`)).status).toBe(204)
    const { body: left } = await call('GET', knowledgeBase)
    expect(left.data).toMatchObject([{ id: own }])
  })

  /** A tenant with a source whose two pages search serves. */
  async function withServedPages() {
    const made = await tenant()
    const { id } = await made.create()
    await give(made, id, ['parking', 'prices'])
    await sql`update documents set resend_at = now() where source_id = ${id}`.execute(stand.db)
    await stand.sweep()
    await stand.deliver()
    return { ...made, id }
  }

  test('is kept while a blocking golden question needs one of its documents, unless the request ignores that', async () => {
    const { id, call, sources, knowledgeBase, agentId } = await withServedPages()
    const { body: documents } = await call('GET', knowledgeBase)
    const question = { question: 'parking', expects: { document_id: documents.data[0].id }, on_failure: 'block' }
    const golden = await call('POST', `/v1/agents/${agentId}/golden-questions`, question)
    expect(golden.body.last_result.passed).toBe(true)
    const refused = await call('DELETE', `${sources}/${id}`)
    expect(refused).toMatchObject({ status: 409, body: { code: 'golden_questions_fail' } })
    expect((await call('GET', knowledgeBase)).body.data).toHaveLength(2)
    expect((await call('DELETE', `${sources}/${id}?ignore_golden_questions=true`)).status).toBe(204)
    expect((await call('GET', knowledgeBase)).body.data).toEqual([])
  })

  test('stays in the trash while one of its documents would break a blocking golden question, unless the request ignores that', async () => {
    const { id, call, sources, knowledgeBase, agentId } = await withServedPages()
    await call('DELETE', `${sources}/${id}?trash=true`)
    const question = { question: 'parking', expects: { nothing: true }, on_failure: 'block' }
    const golden = await call('POST', `/v1/agents/${agentId}/golden-questions`, question)
    expect(golden.body.last_result.passed).toBe(true)
    const refused = await call('POST', `${sources}/${id}/restore`)
    expect(refused).toMatchObject({ status: 409, body: { code: 'golden_questions_fail' } })
    expect(refused.body.golden_questions).toMatchObject([{ instead: { document_title: 'parking' } }])
    expect((await call('GET', knowledgeBase)).body.data).toEqual([])
    expect((await call('GET', `${sources}?trashed=true`)).body.data).toMatchObject([{ id }])
    const restored = await call('POST', `${sources}/${id}/restore?ignore_golden_questions=true`)
    expect(restored).toMatchObject({ status: 200, body: { id, status: 'pending' } })
    expect((await call('GET', knowledgeBase)).body.data).toHaveLength(2)
    expect((await call('GET', golden.headers.location!)).body.last_result.passed).toBe(false)
    expect((await call('POST', `${sources}/${id}/restore`)).status).toBe(200)
  })
})

import { describe, expect, test } from 'vitest'
import { axis } from '../support/provider/axis.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { poison } from '../support/provider/provider-responses.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { keptQueue, newWorker } from '../support/stand/worker.ts'

const stand = useStand()
const provider = useFakeProvider()

async function create(tenant: Tenant, content = 'A text.') {
  const { body, headers } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content })
  return {
    id: body.id as string,
    organizationId: tenant.organizationId,
    path: headers.location!,
    tag: headers.etag!,
    isKnown: async (tag: string) =>
      (await tenant.call('GET', headers.location!, undefined, { 'if-none-match': tag })).status === 304,
    guarded: (method: string, tag: string, body?: object) =>
      tenant.call(method, headers.location!, body, { 'if-match': tag }),
  }
}

const upload = (chunk_index: number) => ({ chunks: [{ content: 'c', chunk_index, embedding: axis(0) }] })

describe('If-Match succeeds', () => {
  test.each([
    ['completed', 'A text.', 'ok'],
    ['error', `A ${poison}.`, 'ok'],
    ['pending', 'A text.', 'too_many_requests'],
  ] as const)(
    'while only the pipeline changes the document (%s), which If-None-Match notices',
    async (status, content, way) => {
      const tenant = await stand.tenant()
      const document = await create(tenant, content)
      provider.script([], way)
      await newWorker(stand, provider, { queue: keptQueue().queue })([document])
      expect(await document.isKnown(document.tag)).toBe(false)
      const patched = await document.guarded('PATCH', document.tag, { title: 'U' })
      expect(patched).toMatchObject({ status: 200, body: { title: 'U', status } })
      expect(await document.guarded('PATCH', document.tag, { title: 'V' })).toMatchObject({ status: 412 })
      expect(await document.guarded('DELETE', document.tag)).toMatchObject({ status: 412 })
      expect(await document.guarded('DELETE', patched.headers.etag!)).toMatchObject({ status: 204 })
    },
  )

  test('after a PATCH that changes nothing, a rejected request and a replay', async () => {
    const tenant = await stand.tenant()
    const document = await create(tenant)
    const key = { 'idempotency-key': 'k' }
    await tenant.call('POST', `${document.path}/chunks`, upload(0), key)
    await tenant.call('PATCH', document.path, { status: 'completed' })
    const { headers } = await tenant.call('GET', document.path)
    for (const body of [{ content: 'A text.' }, { title: ' T ' }, { status: 'completed' }])
      expect(await tenant.call('PATCH', document.path, body)).toMatchObject({
        status: 200,
        headers: { etag: headers.etag },
      })
    expect(await tenant.call('POST', `${document.path}/chunks`, upload(0))).toMatchObject({ status: 409 })
    expect(await tenant.call('POST', `${document.path}/chunks`, upload(0), key)).toMatchObject({ status: 201 })
    expect(await document.isKnown(headers.etag!)).toBe(true)
    expect(await document.guarded('PATCH', headers.etag!, { title: 'U' })).toMatchObject({ status: 200 })
  })

  test('with the tag of a replayed POST, even after the document has been completed', async () => {
    const tenant = await stand.tenant()
    const post = () =>
      tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'A text.' }, { 'idempotency-key': 'k' })
    const first = await post()
    await stand.deliver()
    const { headers } = await post()
    expect(headers.etag).toBe(first.headers.etag)
    const guard = { 'if-match': headers.etag! }
    expect(await tenant.call('PATCH', headers.location!, { title: 'U' }, guard)).toMatchObject({ status: 200 })
    const stale = { 'if-match': (await post()).headers.etag! }
    expect(await tenant.call('PATCH', headers.location!, { title: 'V' }, stale)).toMatchObject({ status: 412 })
  })
})

describe('If-Match fails after a client', () => {
  test.each([
    ['has changed the title', 'PATCH', '', { title: 'U' }],
    ['has changed the content', 'PATCH', '', { content: 'Another text.' }],
    ['has asked for another attempt', 'PATCH', '', { status: 'pending' }],
    ['has uploaded chunks', 'POST', '/chunks', upload(0)],
    ['has deleted the chunks', 'DELETE', '/chunks', undefined],
  ] as [string, string, string, object?][])('%s', async (_, method, part, body) => {
    const tenant = await stand.tenant()
    const document = await create(tenant)
    expect((await tenant.call(method, `${document.path}${part}`, body)).status).toBeLessThan(300)
    expect(await document.isKnown(document.tag)).toBe(false)
    expect(await document.guarded('PATCH', document.tag, { title: 'V' })).toMatchObject({
      status: 412,
      body: { code: 'precondition_failed' },
    })
    expect(await document.guarded('DELETE', document.tag)).toMatchObject({ status: 412 })
    const { headers } = await tenant.call('GET', document.path)
    expect(await document.guarded('PATCH', `"7.7", ${headers.etag}`, { title: 'V' })).toMatchObject({ status: 200 })
  })

  test('has uploaded more chunks, and has had them served', async () => {
    const tenant = await stand.tenant()
    const { headers: created } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T' })
    let tag = created.etag!
    for (const [method, part, body] of [
      ['POST', '/chunks', upload(0)],
      ['POST', '/chunks', upload(1)],
      ['PATCH', '', { status: 'completed' }],
      ['POST', '/chunks', upload(2)],
    ] as const) {
      expect((await tenant.call(method, `${created.location}${part}`, body)).status).toBeLessThan(300)
      const stale = await tenant.call('PATCH', created.location!, { title: 'U' }, { 'if-match': tag })
      expect(stale.status).toBe(412)
      tag = (await tenant.call('GET', created.location!)).headers.etag!
    }
    expect(await tenant.call('PATCH', created.location!, { title: 'U' }, { 'if-match': tag })).toMatchObject({
      status: 200,
    })
  })
})

test('If-None-Match may have weak tags, several or *, and the 304 has no body', async () => {
  const tenant = await stand.tenant()
  const { path, tag } = await create(tenant)
  const get = (tags: string) => tenant.call('GET', path, undefined, { 'if-none-match': tags })
  for (const tags of [`W/${tag}`, `"x", ${tag}`, '*'])
    expect(await get(tags)).toMatchObject({ status: 304, headers: { etag: tag }, body: undefined })
  expect(await get('"x"')).toMatchObject({ status: 200, headers: { etag: tag } })
})

test('a tag in another form matches no document', async () => {
  const tenant = await stand.tenant()
  const document = await create(tenant)
  for (const tag of ['"1"', '"1."', '"1.1.1"', '".1"', '"1-1"', `W/${document.tag}`]) {
    expect(await document.guarded('PATCH', tag, { title: 'U' }), tag).toMatchObject({ status: 412 })
    expect(await document.guarded('DELETE', tag), tag).toMatchObject({ status: 412 })
  }
  expect(await document.guarded('PATCH', '*', { title: 'U' })).toMatchObject({ status: 200 })
})

import { beforeAll, describe, expect, test } from 'vitest'
import { statements, useFaultyConnection } from '../support/database/faulty-connection.ts'
import { newFile } from '../support/documents/files.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
const connection = useFaultyConnection()
let tenant: Tenant
beforeAll(async () => {
  tenant = await stand.tenant()
})

/** Encoded twice, as the reference says. */
const pathOf = (id: string, of = tenant) =>
  `${of.knowledgeBase}/by-external-id/${encodeURIComponent(encodeURIComponent(id))}`
const put = (id: string, body: object = {}, headers = {}, of = tenant) =>
  of.call('PUT', pathOf(id, of), { title: 'Menu', content: 'Soup of the day.', ...body }, headers)
const get = (id: string, of = tenant) => of.call('GET', pathOf(id, of))
const remove = (id: string, headers = {}) => tenant.call('DELETE', pathOf(id), undefined, headers)
const rowOf = async (id: string) =>
  (await stand.pool.query('select xmin, ctid, revision, pending_since from documents where id = $1', [id])).rows[0]

describe('PUT', () => {
  test('creates and changes a document, and if repeated writes no row, processes nothing and keeps the ETag', async () => {
    const dates = { valid_from: '2026-01-01T00:00:00.123456Z', valid_until: '2099-01-01T01:00:00+01:00' }
    const body = { title: ' Menu ', metadata: { size: 1.0, branch: 'north' }, ...dates }
    const created = await put('menu', body)
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ external_id: 'menu', title: 'Menu', status: 'pending', source_type: 'manual' })
    expect(created.headers.location).toBe(`${tenant.knowledgeBase}/${created.body.id}`)
    await stand.deliver()
    const before = [await rowOf(created.body.id), await get('menu')] as const
    const again = await put('menu', { ...body, metadata: { branch: 'north', size: 1 } })
    expect(again).toMatchObject({ status: 200, body: before[1].body, headers: { etag: before[1].headers.etag } })
    expect(again.headers.location).toBeUndefined()
    expect(await rowOf(created.body.id)).toEqual(before[0])
    const changed = await put('menu', { content: 'Fish.' })
    expect(changed).toMatchObject({ status: 200, body: { id: created.body.id, content: 'Fish.', status: 'pending' } })
  })

  test('resets absent fields, and does not process the same content again', async () => {
    const { body } = await put('reset', { metadata: { a: 1 }, valid_until: '2099-01-01T00:00:00Z' })
    await stand.deliver()
    const { revision } = await rowOf(body.id)
    expect(await put('reset', { title: 'New' })).toMatchObject({
      status: 200,
      body: { title: 'New', metadata: {}, valid_until: null, status: 'completed' },
    })
    expect((await rowOf(body.id)).revision).toBe(revision)
  })

  test.each([
    [{ title: undefined }, '/title'],
    [{ content: undefined }, '/content'],
    [{ status: 'pending' }, '/status'],
    [{ external_id: 'another' }, '/external_id'],
    [{ valid_from: '2026-01-02T00:00:00Z', valid_until: '2026-01-01T00:00:00Z' }, '/valid_until'],
  ])('with %o is refused and creates nothing', async (body, pointer) => {
    const { status, body: problem } = await put('refused', body)
    expect([status, problem.errors[0].pointer]).toEqual([422, pointer])
    expect((await get('refused')).status).toBe(404)
  })

  test('with If-Match updates only a document that no client has edited, and creates none', async () => {
    const { headers } = await put('matched')
    const ifMatch = { 'if-match': headers.etag! }
    expect((await put('matched', {}, ifMatch)).status).toBe(200)
    expect((await put('matched', { title: 'Two' }, ifMatch)).status).toBe(200)
    for (const title of ['Two', 'Three']) expect((await put('matched', { title }, ifMatch)).status).toBe(412)
    expect((await put('matched', { title: 'Two' }, { 'if-match': '*' })).status).toBe(200)
    for (const match of ['*', headers.etag!])
      expect((await put('unmatched', {}, { 'if-match': match })).body.code).toBe('precondition_failed')
    expect((await get('unmatched')).status).toBe(404)
  })

  test('with If-None-Match: * only creates', async () => {
    const once = { 'if-none-match': '*' }
    expect((await put('once', {}, once)).status).toBe(201)
    expect((await put('once', {}, once)).body.code).toBe('precondition_failed')
    expect((await put('once', { title: 'New' }, once)).status).toBe(412)
    expect((await put('once', {}, { 'if-none-match': '"1.1"' })).body).toMatchObject({
      code: 'invalid_parameter',
      errors: [{ header: 'if-none-match' }],
    })
  })

  test('turns a file into a text, and replaces a client’s chunks unless the content is the same', async () => {
    const { tenant: owner, file } = await newFile(stand)
    await owner.call('PATCH', file.path, { external_id: 'file' })
    expect(await put('file', {}, {}, owner)).toMatchObject({
      status: 200,
      body: { id: file.id, source_type: 'manual', source_url: null, content: 'Soup of the day.' },
    })

    const { body } = await put('own')
    const path = `${tenant.knowledgeBase}/${body.id}`
    const chunks = [{ content: 'Mine.', chunk_index: 0, embedding: axis(0) }]
    await tenant.call('POST', `${path}/chunks`, { chunks })
    await tenant.call('PATCH', path, { status: 'completed' })
    expect((await put('own')).body).toMatchObject({ status: 'completed', chunk_count: 1 })
    expect((await tenant.call('GET', `${path}/chunks`)).body.data).toMatchObject([{ content: 'Mine.' }])
    expect((await put('own', { content: 'Fish.' })).body.status).toBe('pending')
    await stand.deliver()
    expect((await tenant.call('GET', `${path}/chunks`)).body.data).toMatchObject([{ content: 'Fish.' }])
  })

  test.each(['PUT', 'PATCH'])(
    'of the same content (%s) processes it again after its chunks were deleted, but only once',
    async (method) => {
      const id = `emptied by ${method}`
      const { body } = await put(id)
      const path = `${tenant.knowledgeBase}/${body.id}`
      const send = () =>
        method === 'PUT' ? put(id) : tenant.call('PATCH', path, { title: 'Menu', content: 'Soup of the day.' })
      await stand.deliver()
      await tenant.call('DELETE', `${path}/chunks`)
      expect((await get(id)).body).toMatchObject({ status: 'pending', chunk_count: 0 })
      const { etag } = (await send()).headers
      expect((await send()).headers.etag).toBe(etag)
      await stand.deliver()
      expect((await get(id)).body).toMatchObject({ status: 'completed', searchable_chunk_count: 1 })
      const { revision } = await rowOf(body.id)
      expect((await send()).body.status).toBe('completed')
      expect((await rowOf(body.id)).revision).toBe(revision)
    },
  )

  test('of the same content leaves chunks that a client uploads after it deleted all', async () => {
    const { body } = await put('draft')
    await stand.deliver()
    const path = `${tenant.knowledgeBase}/${body.id}`
    await tenant.call('DELETE', `${path}/chunks`)
    const chunks = [{ content: 'Mine.', chunk_index: 0, embedding: axis(0) }]
    await tenant.call('POST', `${path}/chunks`, { chunks })
    expect((await put('draft')).body).toMatchObject({ status: 'pending', chunk_count: 1 })
    expect((await tenant.call('PATCH', path, { status: 'completed' })).body.status).toBe('completed')
  })

  test('that a golden question blocks changes nothing unless it ignores golden questions, and so does DELETE', async () => {
    const owner = await stand.tenant()
    const content = 'On Sunday we are closed.'
    await put('hours', { title: 'Opening hours', content }, {}, owner)
    await stand.deliver()
    const question = { question: 'Are you open on Sunday?', expects: { words: 'closed' }, on_failure: 'block' }
    await owner.call('POST', `/v1/agents/${owner.agentId}/golden-questions`, question)
    const gone = { title: 'Opening hours', content, valid_until: '2026-01-01T00:00:00Z' }
    expect((await put('hours', gone, {}, owner)).body.code).toBe('golden_questions_fail')
    expect((await owner.call('DELETE', pathOf('hours', owner))).body.code).toBe('golden_questions_fail')
    expect((await get('hours', owner)).body.valid_until).toBeNull()
    expect((await put('hours', { ...gone, ignore_golden_questions: true }, {}, owner)).status).toBe(200)
    const path = `${pathOf('hours', owner)}?ignore_golden_questions=true`
    expect((await owner.call('DELETE', path)).status).toBe(204)
  })
})

test('GET and DELETE find the document by its external id, with ETags', async () => {
  const { body, headers } = await put('found')
  expect((await get('found')).body).toEqual(body)
  const known = { 'if-none-match': headers.etag! }
  expect((await tenant.call('GET', pathOf('found'), undefined, known)).status).toBe(304)
  expect((await tenant.call('HEAD', `${pathOf('found')}?exclude=content`)).status).toBe(200)
  await put('found', { title: 'New' })
  expect((await remove('found', { 'if-match': headers.etag! })).status).toBe(412)
  expect((await remove('found')).status).toBe(204)
  expect((await remove('found')).body.code).toBe('document_not_found')
  expect((await get('found')).body.code).toBe('document_not_found')
  expect((await tenant.call('POST', pathOf('found'), {})).headers.allow).toBe('GET, HEAD, PUT, DELETE')
})

describe('an external id', () => {
  test.each([
    'https://shop.example/menu',
    'https://shop.example/menu?lang=de&page=1',
    'https://shop.example/menu?lang=en&page=1#drinks',
    'https://shop.example//a/',
    '/docs/price list (2026).md',
    'docs/../a/./b',
    'a%20b',
    'a b',
    'a+b',
    '100%',
    'ü/日本/😀/e\u0301',
    'chunks',
    'uploaded',
    'revisions/1/restore',
    'a\\b;c=d:e"f\'g{h}',
    'x'.repeat(255),
  ])('may be %s', async (id) => {
    const created = await put(id, { title: id, external_id: id })
    expect([created.status, created.body.external_id]).toEqual([201, id])
    expect((await put(id, { title: id, external_id: id })).status).toBe(200)
    expect((await get(id)).body).toMatchObject({ id: created.body.id, title: id })
    expect((await remove(id)).status).toBe(204)
    expect((await get(id)).status).toBe(404)
  })

  test('that the gateway has cut is detected if the body also has it', async () => {
    const id = 'https://shop.example/menu?lang=de'
    const path = `${tenant.knowledgeBase}/by-external-id/${encodeURIComponent(id)}`
    const cut = await tenant.call('PUT', path, { title: 'T', content: 'C', external_id: id })
    expect(cut.body.errors).toMatchObject([{ pointer: '/external_id', detail: expect.stringContaining('twice') }])
  })

  test.each(['a\nb', 'x'.repeat(256)])('of the path is refused as %o', async (id) => {
    for (const { status, body } of [await put(id), await get(id)])
      expect([status, body.errors?.[0].parameter]).toEqual([400, 'externalId'])
  })
})

describe('between the look-up of the document and the statement that changes it', () => {
  const move = async (id: string) =>
    tenant.call('PATCH', `${tenant.knowledgeBase}/${(await get(id)).body.id}`, { external_id: `${id}, moved` })

  test('another PUT may create it, and this one updates it', async () => {
    connection.before(statements.createDocument, () => put('late', { title: 'First' }))
    expect(await put('late', { title: 'Second' })).toMatchObject({ status: 200, body: { title: 'Second' } })
    connection.before(statements.createDocument, () => put('latest'))
    expect((await put('latest', {}, { 'if-none-match': '*' })).body.code).toBe('precondition_failed')
  })

  test('a DELETE may remove it, and PUT creates it unless it has If-Match', async () => {
    const { body } = await put('removed')
    connection.before(statements.updateDocument, () => remove('removed'))
    const created = await put('removed', { title: 'New' })
    expect([created.status, created.body.id === body.id]).toEqual([201, false])
    connection.before(statements.updateDocument, () => remove('removed'))
    expect((await put('removed', { title: 'Newer' }, { 'if-match': '*' })).body.code).toBe('precondition_failed')
    expect((await get('removed')).status).toBe(404)
  })

  test('a PATCH may change it, and PUT still replaces it', async () => {
    const { headers } = await put('patched')
    const patch = () => tenant.call('PATCH', headers.location!, { content: 'Patched.', metadata: { a: 1 } })
    connection.before(statements.updateDocument, patch)
    const { body } = await put('patched', { title: 'New' })
    expect(body).toMatchObject({ title: 'New', content: 'Soup of the day.', metadata: {} })
  })

  test('a PATCH may remove its external id: PUT creates another document, and DELETE finds none', async () => {
    const { headers } = await put('moved')
    connection.before(statements.updateDocument, () => move('moved'))
    expect((await put('moved', { title: 'New' })).status).toBe(201)
    expect((await tenant.call('GET', headers.location!)).body).toMatchObject({
      title: 'Menu',
      external_id: 'moved, moved',
    })
    const second = await put('kept')
    connection.before(/delete from .*documents/, () => move('kept'))
    expect((await remove('kept')).status).toBe(404)
    expect((await tenant.call('GET', second.headers.location!)).status).toBe(200)
  })
})

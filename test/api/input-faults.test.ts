import { beforeAll, describe, expect, test } from 'vitest'
import { exampleBody, fill, keyedRoutes } from '../support/http/operations.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()

describe('a body that is not JSON', () => {
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await stand.tenant()
  })
  const faultOf = async (body: string) => {
    const { call, knowledgeBase } = tenant
    const answer = await call('POST', knowledgeBase, body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_json' } })
    return answer.body.detail
  }
  const has = (fault: string) => `The body is not valid JSON: ${fault}.`

  test.each([
    ['', 'The body is empty.'],
    [' \n', 'The body is empty.'],
    ['{"title":"T",}', has('Expected double-quoted property name at line 1, column 14')],
    ['{\n  "title": "T"\n  "tags": [1]\n}', has("Expected ',' or '}' after property value at line 3, column 3")],
    ["{'title':1}", has("Expected property name or '}' at line 1, column 2")],
    ['{"title":“T”}', has("Unexpected token '“'")],
    ['{"title":NaN}', has("Unexpected token 'N'")],
    ['{"title":1}}', has('Unexpected non-whitespace character after JSON at line 1, column 12')],
    ['{"title":"T', has('Unterminated string at line 1, column 12')],
    ['{"title":', has('Unexpected end of JSON')],
  ])('is explained: %j', async (body, detail) => {
    expect(await faultOf(body)).toBe(detail)
  })

  test('is not repeated, however long it is', async () => {
    const detail = await faultOf(`{"title": "${'secret'.repeat(100_000)}`)
    expect(detail).not.toContain('secret')
    expect(detail.length).toBeLessThan(200)
  })
})

test('an empty header that an operation reads is 400, not ignored', async () => {
  const tenant = await stand.tenant()
  const { body: document } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T' })
  // The platform's own headers have their own errors.
  for (const route of keyedRoutes.filter(({ operation }) => operation.headers && operation.tag !== 'Platforms')) {
    const url = fill(route.path, { agentId: tenant.agentId, documentId: document.id })
    const names = Object.keys((route.operation.headers as unknown as { entries: object }).entries)
    for (const header of names)
      expect(await tenant.call(route.method, url, exampleBody(route), { [header]: '' }), route.name).toMatchObject({
        status: 400,
        body: { code: 'invalid_parameter', errors: [{ header }] },
      })
  }
  expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toEqual([document])
})

test('an empty header about a missing body has no effect', async () => {
  const { call, knowledgeBase } = await stand.tenant()
  const answer = await call('POST', knowledgeBase, { title: 'T' }, { 'content-encoding': '', 'x-empty': '' })
  expect(answer.status).toBe(201)
})

test('a value outside the allowed ones has its own code, and the detail lists the allowed ones', async () => {
  const { call, knowledgeBase } = await stand.tenant()
  const { body } = await call('POST', knowledgeBase, { title: 'T' })
  const path = `${knowledgeBase}/${body.id}`
  const code = 'not_allowed_value'
  for (const [method, url, sent, errors] of [
    ['GET', `${knowledgeBase}?status=done`, undefined, { parameter: 'status', names: ['pending', 'error'] }],
    ['GET', `${path}/chunks?include=vectors`, undefined, { parameter: 'include', names: ['embedding'] }],
    ['PATCH', path, { status: 'error' }, { pointer: '/status', names: ['pending', 'completed'] }],
    ['PATCH', path, { status: 1 }, { pointer: '/status', names: ['pending', 'completed'] }],
    ['POST', `${knowledgeBase}/search`, { query: 'q', mode: 'fuzzy' }, { pointer: '/mode', names: ['hybrid'] }],
  ] as const) {
    const { names, ...place } = errors
    const answer = await call(method, url, sent)
    expect(answer.body.errors).toEqual([{ ...place, code, detail: expect.any(String) }])
    for (const name of names) expect(answer.body.errors[0].detail).toContain(name)
  }
})

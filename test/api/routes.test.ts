import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../shared/ids.ts'
import { type Permission, permissions } from '../../shared/organizations/permissions.ts'
import {
  comparable,
  exampleBody,
  fill,
  type Ids,
  keyedRoutes,
  makeDocument,
  paths,
  publicRoutes,
  queryOf,
} from '../support/http/operations.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { rejectedKeys } from '../support/stand/tenant.ts'

const stand = useStand()
const never = (): Ids => ({ agentId: newId(), documentId: newId() })
/** Selects cases for the nth of several routes, so that each case takes its turn over all of them. */
const turn = <T>(cases: T[], nth: number, count = 2) =>
  Array.from({ length: count }, (_, i) => cases[(nth * count + i) % cases.length]!)
const withIds = keyedRoutes.filter(({ path }) => path.includes('{'))
const withBody = keyedRoutes.filter((route) => exampleBody(route) !== undefined)

let tenant: Tenant
/** A key for each single permission, and one for each missing permission. */
let only: Record<string, Tenant>
let allBut: Record<string, Tenant>
/** Runs once for all routes, because an instance looks up a bounded number of unknown keys. */
let badKeys: Record<string, string>[]
beforeAll(async () => {
  const each = async (granted: (permission: Permission) => Permission[]) =>
    Object.fromEntries(
      await Promise.all(permissions.map(async (one) => [one, await stand.tenant(granted(one))] as const)),
    )
  only = await each((one) => [one])
  allBut = await each((one) => permissions.filter((other) => other !== one))
  tenant = await stand.tenant()
  const { organizationId, apiKey } = tenant
  const mistyped = apiKey.slice(0, -1) + (apiKey.endsWith('A') ? 'B' : 'A')
  const malformed = ['nonsense', `${apiKey} `.repeat(2), `${apiKey},${apiKey}`, 'cue_', mistyped, 'ключ']
  const rejected = await rejectedKeys(stand.db, organizationId)
  badKeys = [...malformed, ...rejected].flatMap((key): Record<string, string>[] => [
    { 'x-api-key': key },
    { authorization: `Bearer ${key}` },
  ])
})

describe.each(keyedRoutes)('$name', (route) => {
  const { method, path, operation, permission, lambda } = route
  const body = exampleBody(route)
  const success = Object.keys(operation.responses).map(Number)
  const takesIds = withIds.includes(route)
  const nth = withBody.indexOf(route)
  /** The platform may add fields to what it sends. */
  const takesUnknownFields = lambda === 'platforms'
  /** The ids of a document; search serves it if the path needs that. */
  const arrange = async () => {
    // The other cases need the tenant's own.
    if (route.name === 'deleteAgent')
      return { ...never(), agentId: (await tenant.call('POST', '/v1/agents', { name: 'Agent' })).body.id }
    // An address has one source.
    await stand.db
      .deleteFrom('sources')
      .where('organization_id', '=', tenant.organizationId as never)
      .execute()
    const ids = await makeDocument(tenant, path)
    if (path.includes('{revision}')) await stand.deliver()
    return ids
  }

  test('answers as documented, and forbids caching, except that a document may be revalidated', async () => {
    const kept = /^getDocument/.test(operation.operationId) ? 'private, no-cache' : 'private, no-store'
    const url = fill(path, await arrange()) + queryOf(route)
    const { status, headers } = await tenant.call(method, url, body)
    expect(success).toContain(status)
    expect(headers['cache-control']).toBe(kept)
    if (headers.etag && method === 'GET')
      expect(await tenant.call(method, url, body, { 'if-none-match': headers.etag })).toMatchObject({
        status: 304,
        headers: { 'cache-control': kept },
      })
    for (const refused of [
      await stand.http(method, url, body),
      await tenant.call(method, `${url}?frobnicate`, body),
      await tenant.call('PROPFIND', url),
      await tenant.call(method, `${url}/`, body),
    ])
      expect(refused.headers['cache-control']).toBe('private, no-store')
  })

  test('asks for a key, and answers all bad keys alike', async () => {
    const url = fill(path, never())
    expect(await stand.http(method, url, body)).toMatchObject({ status: 401, body: { code: 'missing_api_key' } })
    const unknown = await stand.http(method, url, body, { 'x-api-key': 'nonsense' })
    expect(unknown).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } })
    for (const headers of turn(badKeys, keyedRoutes.indexOf(route)))
      expect(comparable(await stand.http(method, url, body, headers))).toEqual(comparable(unknown))
  })

  test('accepts a key that has only its permission, and refuses one that lacks only that', async () => {
    const { status } = await only[permission]!.call(method, fill(path, never()), body)
    expect([401, 403]).not.toContain(status)
    expect(await allBut[permission]!.call(method, fill(path, never()), body)).toMatchObject({
      status: 403,
      body: { code: 'missing_permission', required_permission: permission },
    })
  })

  if (takesIds)
    test('refuses malformed ids and names the parameter', async () => {
      for (const [, name] of path.replace('{externalId}', '').matchAll(/\{(\w+)\}/g)) {
        for (const id of turn(malformedIds, withIds.indexOf(route))) {
          if (name === 'revision' && id === '123') continue
          const url = fill(path, { ...never(), [name!]: encodeURIComponent(id) })
          const answer = await tenant.call(method, url + queryOf(route), body)
          expect(answer).toMatchObject({
            status: 400,
            body: { code: 'invalid_parameter', errors: [{ parameter: name }] },
          })
        }
      }
    })

  if (takesIds)
    test('accepts upper-case ids and answers in lower case', async () => {
      const ids = await arrange()
      const { agentId } = ids
      const upper = Object.entries(ids).map(([name, id]) => [name, id.toUpperCase()])
      const shouted = fill(path, Object.fromEntries(upper))
      const answer = await tenant.call(method, shouted + queryOf(route), body)
      expect(success).toContain(answer.status)
      expect(JSON.stringify(answer.body ?? '')).not.toContain(agentId.toUpperCase())
      expect(answer.headers.location ?? '').not.toContain(agentId.toUpperCase())
    })

  test('refuses unknown and repeated query parameters', async () => {
    const queries = ['frobnicate=1', 'limit=1&limit=2&frobnicate', '__proto__=1', 'toString=1']
    const [query] = turn(queries, keyedRoutes.indexOf(route), 1)
    const answer = await tenant.call(method, `${fill(path, never())}?${query}`, body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } })
    expect(answer.body.errors.at(-1)).toMatchObject({
      parameter: expect.any(String),
      code: 'unknown_parameter',
      detail: expect.stringMatching(/^is not a known query parameter \((none is allowed|allowed: \w+(, \w+)*)\)$/),
    })
  })

  if (body !== undefined)
    test('refuses a body of another media type, charset or encoding, or that is not a JSON object in UTF-8', async () => {
      const refused = async (text: string | Buffer, status: number, code: string, headers = {}) => {
        const answer = await tenant.call(method, fill(path, never()), text, headers)
        expect(answer).toMatchObject({ status, body: { code } })
        return answer
      }
      for (const headers of turn(otherKinds, nth))
        await refused(JSON.stringify(body), 415, 'unsupported_media_type', headers)
      for (const text of turn(noJson, nth)) await refused(text, 400, 'invalid_json')
      for (const text of turn(['null', '[]', '[{}]', '"text"', '1', 'true', '1e999'], nth))
        expect((await refused(text, 422, 'validation_failed')).body.errors).toContainEqual({
          pointer: '',
          code: 'wrong_type',
          detail: expect.stringMatching(/^must be an object/),
        })
    })

  if (body !== undefined)
    test('accepts application/json in any spelling', async () => {
      const types = ['APPLICATION/JSON', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"']
      const url = fill(path, await arrange())
      const headers = { 'content-type': turn(types, nth, 1)[0]! }
      expect(success).toContain((await tenant.call(method, url, JSON.stringify(body), headers)).status)
    })

  if (body !== undefined && takesUnknownFields)
    test('accepts unknown fields', async () => {
      const ids = await arrange()
      const answer = await tenant.call(method, fill(path, ids), { ...(body as object), frobnicate: { a: 1 } })
      expect(success).toContain(answer.status)
    })
  else if (body !== undefined)
    test('refuses every unknown field by its name', async () => {
      const extra = '{"frobnicate":1,"a/b":2,"~":3,"__proto__":4,"toString":5,"id":6,'
      const answer = await tenant.call(method, fill(path, never()), extra + JSON.stringify(body).slice(1))
      expect(answer.status).toBe(422)
      const knowsId = typeof body === 'object' && body !== null && 'id' in body
      const pointers = ['/frobnicate', '/a~1b', '/~0', '/__proto__', '/toString', ...(knowsId ? [] : ['/id'])]
      expect(answer.body.errors).toMatchObject(pointers.map((pointer) => ({ pointer, code: 'unknown_field' })))
      const names = /^is not a known field \(allowed: (.+)\)$/.exec(answer.body.errors[0].detail)![1]!.split(', ')
      expect(names).toEqual(expect.arrayContaining(Object.keys(body as object)))
    })

  if (method === 'GET')
    test('answers HEAD like GET, without the body', async () => {
      const own = fill(path, await arrange())
      for (const url of [own, `${own}?frobnicate`, ...(takesIds ? [fill(path, never())] : [])]) {
        const { body: _, ...get } = comparable(await tenant.call('GET', url))
        const { body: nothing, ...head } = comparable(await tenant.call('HEAD', url))
        expect(head).toEqual(get)
        expect(nothing).toBeUndefined()
      }
    })
})

describe.each(paths.map((path, place) => [path, place] as const))('%s', (path, place) => {
  const known = [...keyedRoutes, ...publicRoutes].filter((route) => route.path === path).map((route) => route.method)

  test('answers 405 to other methods and names its own', async () => {
    const served = known.includes('GET') ? [...known, 'HEAD'] : known
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']
    const others = methods.filter((method) => !served.includes(method))
    for (const method of turn(others, place, 3)) {
      const answer = await tenant.call(method, fill(path, never()))
      expect(answer.status, method).toBe(405)
      expect(answer.headers.allow!.split(', ').toSorted()).toEqual(served.toSorted())
      if (method !== 'HEAD') expect(answer.body).toMatchObject({ code: 'method_not_allowed' })
    }
  })
})

test('an unknown route is 404, with a key and without', async () => {
  const { call, knowledgeBase } = tenant
  expect(await stand.http('DELETE', '/v1')).toMatchObject({ status: 404, body: { code: 'route_not_found' } })
  for (const url of [
    ...'/v1 /docs/ /v2/organization /v1/organization/'.split(' '),
    ...[`${knowledgeBase}/`, `/v1//organization`],
    ...'/v1/docs/../organization /V1/organization /v1/docs/%2e%2e/organization /v1/organization%23 /%'.split(' '),
  ])
    expect(await call('GET', url)).toMatchObject({ status: 404, body: { code: 'route_not_found' } })
})

const malformedIds = [
  ...'x 123 - . ..'.split(' '),
  newId().slice(1),
  `${newId()}0`,
  `{${newId()}}`,
  newId().replaceAll('-', ''),
  ...[`${newId()}#`, ` ${newId()}`, `${newId()}\n`, `' or 1=1 --`, '%00', 'é'],
  newId().replace('-', '\t-'),
]

const otherKinds: Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'application/jsonp' },
  { 'content-type': 'application/json; charset=iso-8859-1' },
  { 'content-type': '' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br' },
]

const noJson = [
  '',
  ...'{ {"a":1}} {a:1} nul ﻿{}x'.split(' '),
  Buffer.from([0x22, 0xff, 0x22]),
  '{"a":"\\u0000"}',
  '{"\\ud800":1}',
  '["\\udc00\\ud800"]',
]

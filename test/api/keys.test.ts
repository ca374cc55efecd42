import { expect, test } from 'vitest'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { lambdas } from '../../infra/wiring.ts'
import { newKey } from '../../shared/http/api-keys.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()
const get = (headers: Record<string, string | string[]>) =>
  stand.send(toEvent({ method: 'GET', url: '/v1/organization', headers }, lambdas.organization.routes)!)

test('a bearer token is the key, in any spelling of its scheme', async () => {
  const { apiKey, organizationId } = await stand.tenant()
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  '])
    expect(await get({ authorization: `${scheme} ${apiKey}` })).toMatchObject({
      status: 200,
      body: { id: organizationId },
    })
})

test('two headers at once must have the same key', async () => {
  const { apiKey } = await stand.tenant()
  const other = await stand.tenant()
  const both = (own: string, token: string) => get({ 'x-api-key': own, authorization: `Bearer ${token}` })
  expect((await both(apiKey, apiKey)).status).toBe(200)
  for (const [own, token] of [
    [apiKey, other.apiKey],
    [other.apiKey, apiKey],
    [apiKey, newKey()],
    [newKey(), apiKey],
    [apiKey, 'nonsense'],
    ['nonsense', apiKey],
  ] as const)
    expect(await both(own, token)).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } })
})

test('another scheme, or a header without a token, has no key and does not affect X-API-Key', async () => {
  const { apiKey } = await stand.tenant()
  for (const authorization of [
    ...['Basic dXNlcjpwYXNz', `Basic ${apiKey}`, `Digest username="x"`, `Basic dXNlcjpwYXNz,Bearer ${apiKey}`],
    apiKey,
    ...[`Bearer:${apiKey}`, `Bearer${apiKey}`, 'Bearer', 'Bearer ', ''],
  ]) {
    expect(await get({ authorization })).toMatchObject({ status: 401, body: { code: 'missing_api_key' } })
    expect(await get({ authorization, 'x-api-key': apiKey })).toMatchObject({ status: 200 })
  }
})

test('a token that is sent twice, or with text after it, is invalid', async () => {
  const { apiKey } = await stand.tenant()
  const bearer = `Bearer ${apiKey}`
  for (const authorization of [[bearer, bearer], `${bearer} ${apiKey}`, `${bearer},`, `Bearer "${apiKey}"`])
    expect(await get({ authorization })).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } })
})

test('an empty X-API-Key beside a bearer token is ignored', async () => {
  const { apiKey } = await stand.tenant()
  expect((await get({ 'x-api-key': '', authorization: `Bearer ${apiKey}` })).status).toBe(200)
  expect(await get({ 'x-api-key': '' })).toMatchObject({ status: 401, body: { code: 'missing_api_key' } })
})

test('a 401 names both ways to send a key, in its detail and as challenges that can be parsed', async () => {
  const missing = await get({})
  const invalid = await get({ 'x-api-key': newKey() })
  for (const { body } of [missing, invalid]) {
    expect(body.detail).toContain('X-API-Key')
    expect(body.detail).toContain('Authorization: Bearer')
  }
  const own = { scheme: 'ApiKey', header: 'X-API-Key' }
  expect(challenges(missing.headers['www-authenticate']!)).toEqual([{ scheme: 'Bearer', realm: 'Cuecard' }, own])
  expect(challenges(invalid.headers['www-authenticate']!)).toEqual([
    { scheme: 'Bearer', realm: 'Cuecard', error: 'invalid_token' },
    own,
  ])
})

/** Follows the grammar of RFC 9110 (11.6.1): a token before a space is a scheme, a token before `=` a parameter. */
function challenges(header: string): Record<string, string>[] {
  const found: Record<string, string>[] = []
  const element = /\s*(?:([!#$%&'*+.^`|~\w-]+) +)?([!#$%&'*+.^`|~\w-]+)="([^"]*)"\s*(?:,|$)/gy
  let end = 0
  for (const [all, scheme, name, value] of header.matchAll(element)) {
    if (scheme) found.push({ scheme })
    found.at(-1)![name!] = value!
    end += all.length
  }
  expect(end).toBe(header.length)
  return found
}

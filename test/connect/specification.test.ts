import { expect, test } from 'vitest'
import type { Tenant } from '../support/stand/stand.ts'
import { callback, issuer, origin, useConnect } from './support.ts'

const connect = useConnect()
const { stand, send, member, app, resourceOf, authorizeUrl, answerOf } = connect
const { exchange, refresh, register, ask, connection } = connect

const metadataOf = ({ agentId }: Tenant) =>
  `${origin}/.well-known/oauth-protected-resource/v1/agents/${agentId}/connect/mcp`
const server = async () => (await send('GET', '/.well-known/oauth-authorization-server/connect')).body
const challengeTo = async (tenant: Tenant, token?: string) =>
  (await ask(token, resourceOf(tenant))).headers.get('www-authenticate')

/** The MUSTs for servers in the MCP specification’s authorization pages and the pages they name, each with its check. */
const musts: Record<string, (tenant: Tenant) => Promise<void>> = {
  'MCP servers MUST implement OAuth 2.0 Protected Resource Metadata, at the path of the endpoint': async (tenant) => {
    const { status, body } = await send('GET', metadataOf(tenant))
    expect([status, body.resource]).toEqual([200, resourceOf(tenant)])
  },
  'The document MUST include the authorization_servers field containing at least one authorization server': async (
    tenant,
  ) => {
    expect((await send('GET', metadataOf(tenant))).body.authorization_servers).toEqual([issuer])
  },
  'The resource value MUST be identical to the identifier into which the well-known path was inserted (RFC 9728, 3.3)':
    async (tenant) => {
      const shouted = { ...tenant, agentId: tenant.agentId.toUpperCase() }
      expect((await send('GET', metadataOf(shouted))).body.resource).toBe(resourceOf(shouted))
    },
  'MCP servers MUST include the resource metadata URL in the WWW-Authenticate header of a 401': async (tenant) => {
    for (const token of [undefined, 'made-up'])
      expect(await challengeTo(tenant, token)).toContain(`resource_metadata="${metadataOf(tenant)}", scope="kb:read"`)
  },
  'A request without credentials SHOULD NOT get an error code, one with an invalid token MUST get invalid_token (RFC 6750, 3.1)':
    async (tenant) => {
      expect(await challengeTo(tenant)).not.toContain('error=')
      expect(await challengeTo(tenant, 'made-up')).toMatch(/^Bearer error="invalid_token", /)
    },
  'Authorization servers MUST provide OAuth 2.0 Authorization Server Metadata, where the path of the issuer is inserted':
    async () => {
      expect((await server()).issuer).toBe(issuer)
    },
  'The issuer MUST be identical to that in authorization_servers and in iss (RFC 8414, 3.3; RFC 9207, 2.4)': async (
    tenant,
  ) => {
    const { browser } = await member(tenant)
    const answer = answerOf(await browser.post(authorizeUrl(tenant, app()), { decision: 'allow' }))
    const [listed] = (await send('GET', metadataOf(tenant))).body.authorization_servers
    expect([(await server()).issuer, answer.get('iss')]).toEqual([listed, listed])
  },
  'Servers that include iss MUST advertise it, and include it in error responses': async (tenant) => {
    expect((await server()).authorization_response_iss_parameter_supported).toBe(true)
    const { browser } = await member(tenant)
    const url = authorizeUrl(tenant, app(), { response_type: 'token' })
    const { to: _, ...answer } = Object.fromEntries(answerOf(await browser.get(url)))
    expect(answer).toMatchObject({ error: 'unsupported_response_type', iss: issuer, state: 's1' })
  },
  'Metadata MUST include code_challenge_methods_supported, or clients refuse to proceed': async () => {
    expect((await server()).code_challenge_methods_supported).toEqual(['S256'])
  },
  'Metadata MUST say that client ids may be addresses, and that public clients authenticate by none': async () => {
    const { client_id_metadata_document_supported, token_endpoint_auth_methods_supported } = await server()
    expect([client_id_metadata_document_supported, token_endpoint_auth_methods_supported]).toEqual([true, ['none']])
  },
  'All endpoints MUST be served over HTTPS, at this origin': async () => {
    const endpoints = Object.entries(await server()).filter(([name]) => name.endsWith('_endpoint'))
    expect(endpoints.length).toBe(4)
    for (const [, url] of endpoints) expect(url).toMatch(/^https:\/\/app\.example\.com\//)
  },
  'Authorization servers MUST validate that the fetched document’s client_id matches the URL exactly': async (
    tenant,
  ) => {
    const { browser } = await member(tenant)
    const id = app()
    expect((await browser.get(authorizeUrl(tenant, `${id}?`))).status).toBe(400)
    expect((await browser.get(authorizeUrl(tenant, app({ client_id: id })))).status).toBe(400)
  },
  'They MUST validate the document structure is valid JSON and contains required fields': async (tenant) => {
    const { browser } = await member(tenant)
    for (const lacking of [{ client_id: undefined }, { client_name: undefined }, { redirect_uris: undefined }])
      expect((await browser.get(authorizeUrl(tenant, app(lacking)))).status).toBe(400)
  },
  'They MUST validate exact redirect URIs against pre-registered values': async (tenant) => {
    const { browser } = await member(tenant)
    const url = authorizeUrl(tenant, app(), { redirect_uri: `${callback}/` })
    expect((await browser.post(url, { decision: 'allow' })).headers.location).toBeUndefined()
  },
  'The port of a loopback redirect MUST be variable (RFC 8252, 7.3)': async (tenant) => {
    const { browser } = await member(tenant)
    const url = authorizeUrl(tenant, app(), { redirect_uri: 'http://localhost:50000/callback' })
    expect(answerOf(await browser.post(url, { decision: 'allow' })).to).toBe('http://localhost:50000/callback')
  },
  'Parameters without a value MUST be treated as omitted, unknown ones MUST be ignored, none MAY be repeated (RFC 6749, 3.1)':
    async (tenant) => {
      const { browser } = await member(tenant)
      const url = `${authorizeUrl(tenant, app(), { scope: '' })}&frobnicate=1`
      expect((await browser.get(url)).status).toBe(200)
      expect((await browser.get(`${url}&client_id=x`)).status).toBe(400)
    },
  'The token response MUST NOT be stored, and MUST include the scope where it differs from what was asked (RFC 6749, 5.1)':
    async (tenant) => {
      const { person, clientId } = await connection({}, tenant)
      const url = authorizeUrl(tenant, clientId, { scope: 'kb:read kb:write organization:write' })
      const code = await connect.consent(person.browser, url)
      const { headers, body } = await exchange(clientId, code)
      expect([headers.get('cache-control'), body.scope]).toEqual(['private, no-store', 'kb:read'])
    },
  'Errors of the token endpoint MUST be 400 in JSON, and 401 for an unknown client (RFC 6749, 5.2)': async () => {
    const token = (fields: Record<string, string>) => connect.form('/connect/token', fields)
    const unsupported = await token({ grant_type: 'password', client_id: 'x' })
    expect([unsupported.status, unsupported.body.error]).toEqual([400, 'unsupported_grant_type'])
    expect((await token({ grant_type: 'refresh_token' })).body.error).toBe('invalid_request')
    expect(await refresh('unknown', 'x')).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  },
  'For public clients, authorization servers MUST rotate refresh tokens': async () => {
    const made = await connection()
    const renewed = await refresh(made.clientId, made.refresh)
    expect(renewed.body.refresh_token).not.toBe(made.refresh)
  },
  'MCP servers MUST validate that access tokens were issued specifically for them as the intended audience': async (
    tenant,
  ) => {
    const { access } = await connection()
    expect((await ask(access, resourceOf(tenant))).status).toBe(401)
  },
  'Invalid or expired tokens MUST receive a HTTP 401 response': async (tenant) => {
    for (const token of ['made-up', 'x'.repeat(43), 'x y', ''])
      expect((await ask(token, resourceOf(tenant))).status).toBe(401)
  },
  'MCP servers MUST NOT accept any other tokens': async (tenant) => {
    expect((await ask(tenant.apiKey, resourceOf(tenant))).status).toBe(401)
  },
  'Access tokens MUST NOT be included in the URI query string': async () => {
    const { tenant, access } = await connection()
    expect((await ask(undefined, `${resourceOf(tenant)}?access_token=${access}`)).status).toBe(401)
  },
  'Insufficient scope is 403, with the scopes that are needed and the metadata': async () => {
    const { tenant, access } = await connection({ scope: 'offline_access' })
    const { status, headers, body } = await ask(access, resourceOf(tenant))
    expect([status, body.code]).toEqual([403, 'insufficient_scope'])
    expect(headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", resource_metadata="${metadataOf(tenant)}", scope="kb:read"`,
    )
  },
  'A registration MUST be answered with 201, the id and all metadata (RFC 7591, 3.2.1)': async () => {
    const { status, body } = await register(
      { redirect_uris: [callback], client_name: 'An assistant', logo_uri: 'x' },
      '192.0.2.50',
    )
    expect(status).toBe(201)
    expect(body).toMatchObject({
      client_id: expect.any(String),
      redirect_uris: [callback],
      client_name: 'An assistant',
    })
  },
  'The revocation endpoint MUST answer 200 for unknown tokens, too (RFC 7009, 2.2)': async () => {
    expect(await connect.form('/connect/revoke', { token: 'made-up', client_id: 'x' })).toMatchObject({
      status: 200,
      body: '',
    })
  },
}

test.each(Object.entries(musts))('%s', async (_, check) => {
  await check(await stand.tenant())
})

test('no metadata describes the endpoint that takes API keys, so its clients keep sending theirs', async () => {
  const tenant = await stand.tenant()
  const [resource, issuers] = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server']
  const openId = '/.well-known/openid-configuration'
  const mcp = `/v1/agents/${tenant.agentId}/mcp`
  for (const path of [
    ...['', '/', mcp, '/mcp', '/v1/agents/x/connect/mcp'].map((end) => resource + end),
    ...['', '/', mcp].map((end) => issuers + end),
    ...[openId, mcp + openId, '/authorize', '/token', '/register'],
  ])
    expect((await send('GET', path)).status, path).toBe(404)
  const { headers } = await ask(undefined, mcp)
  expect(headers.get('www-authenticate')).toBe('Bearer realm="Cuecard", ApiKey header="X-API-Key"')
})

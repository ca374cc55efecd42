// Connects by OAuth with the SDK whose package is the argument, by the address of a document and by registration. The exit code says whether it can.
import assert from 'node:assert/strict'
import { open } from './inspector.mjs'

const { OAUTH_URL, SESSION, CLIENT_DOCUMENT, QUESTION, ANSWER } = process.env
const isFirst = process.argv[2] === 'sdk-v1'
const name = isFirst ? '@modelcontextprotocol/sdk/client' : '@modelcontextprotocol/client'
const { Client } = await import(isFirst ? `${name}/index.js` : name)
const { StreamableHTTPClientTransport } = await import(isFirst ? `${name}/streamableHttp.js` : name)
const { auth, UnauthorizedError } = await import(isFirst ? `${name}/auth.js` : name)

/** An app's stored state, and a person’s browser that consents at once. */
function newProvider(clientMetadataUrl) {
  const kept = {}
  return {
    kept,
    clientMetadataUrl,
    redirectUrl: 'http://localhost:8787/callback',
    clientMetadata: {
      client_name: 'SDK',
      redirect_uris: ['http://localhost:8787/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'kept-state',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => Object.assign(kept, { tokens }),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier) => Object.assign(kept, { verifier }),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery) => Object.assign(kept, { discovery }),
    invalidateCredentials: (what) => {
      if (what === 'tokens' || what === 'all') delete kept.tokens
      if (what === 'client' || what === 'all') delete kept.client
    },
    redirectToAuthorization: async (url) => Object.assign(kept, { answer: await consent(url) }),
  }
}

/** Consents in the test's session. @returns the parameters of the app's callback */
async function consent(url) {
  const headers = { cookie: `cuecard_session=${SESSION}`, origin: url.origin }
  const page = await fetch(url, { headers })
  assert.equal(page.status, 200, await page.text())
  const body = new URLSearchParams({ decision: 'allow' })
  const { headers: said } = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
  const to = new URL(said.get('location'))
  assert.equal(to.searchParams.get('state'), 'kept-state')
  return to.searchParams
}

async function connect(authProvider) {
  const client = new Client({ name: 'clients', version: '1.0.0' })
  const transport = () => new StreamableHTTPClientTransport(new URL(OAUTH_URL), { authProvider })
  const first = transport()
  try {
    await client.connect(first)
  } catch (error) {
    assert.ok(error instanceof UnauthorizedError, error)
    // The second release compares `iss`, which the first ignores.
    await (isFirst
      ? first.finishAuth(authProvider.kept.answer.get('code'))
      : first.finishAuth(authProvider.kept.answer))
    await client.connect(transport())
  }
  return client
}

async function search(client) {
  const { structuredContent } = await client.callTool({ name: 'search', arguments: { query: QUESTION } })
  assert.match(structuredContent.results[0].text, new RegExp(ANSWER))
}

for (const clientDocument of [CLIENT_DOCUMENT, undefined]) {
  const provider = newProvider(clientDocument)
  const { kept } = provider
  const client = await connect(provider)
  await search(client)
  assert.equal(kept.client.client_id === CLIENT_DOCUMENT, clientDocument !== undefined)

  const { access_token: before } = kept.tokens
  assert.equal(await auth(provider, { serverUrl: OAUTH_URL }), 'AUTHORIZED')
  assert.notEqual(kept.tokens.access_token, before)
  await search(client)
  const inspector = open(OAUTH_URL, { authorization: `Bearer ${kept.tokens.access_token}` })
  const { structuredContent } = await inspector.call('search', { query: QUESTION })
  assert.match(structuredContent.results[0].text, new RegExp(ANSWER))

  const { revocation_endpoint } = kept.discovery.authorizationServerMetadata
  const body = new URLSearchParams({ token: kept.tokens.refresh_token, client_id: kept.client.client_id })
  assert.equal((await fetch(revocation_endpoint, { method: 'POST', body })).status, 200)
  const asked = kept.answer
  assert.equal(await auth(provider, { serverUrl: OAUTH_URL }), 'REDIRECT')
  assert.notEqual(kept.answer, asked)

  if (clientDocument) continue
  // The app registers again after its registration has expired.
  kept.client = { ...kept.client, client_id: 'expired' }
  kept.tokens = { ...kept.tokens, access_token: 'x', refresh_token: 'x', token_type: 'Bearer' }
  assert.equal(await auth(provider, { serverUrl: OAUTH_URL }), 'REDIRECT')
  assert.notEqual(kept.client.client_id, 'expired')
}
process.exit(0)

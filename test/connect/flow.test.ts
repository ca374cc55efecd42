import { expect, test } from 'vitest'
import { callback, issuer, origin, useConnect } from './support.ts'

const { stand, send, member, app, resourceOf, authorizeUrl, answerOf, exchange, refresh, ask } = useConnect()

test('an app asks an agent for a person who has consented, without a key', async () => {
  const tenant = await stand.tenant()
  const { browser } = await member(tenant)
  const resource = resourceOf(tenant)

  const challenge = (await ask(undefined, resource)).headers.get('www-authenticate')!
  const [, metadataUrl] = /^Bearer resource_metadata="([^"]+)", scope="kb:read"$/.exec(challenge)!
  const metadata = (await send('GET', metadataUrl!)).body
  expect(metadata).toMatchObject({ resource, authorization_servers: [issuer], scopes_supported: ['kb:read'] })
  const server = (await send('GET', `${origin}/.well-known/oauth-authorization-server/connect`)).body
  expect(server).toMatchObject({ issuer, code_challenge_methods_supported: ['S256'] })

  const clientId = app()
  const url = authorizeUrl(tenant, clientId)
  expect(`${origin}${url}`).toContain(server.authorization_endpoint)
  const page = await browser.get(url)
  expect(page.text).toContain('127.0.0.1')
  expect(page.text).toContain('a program on this computer (localhost:1234)')
  const answer = answerOf(await browser.post(url, { decision: 'allow' }))
  expect([answer.to, answer.get('state'), answer.get('iss')]).toEqual([callback, 's1', issuer])

  const { status, body, headers } = await exchange(clientId, answer.get('code')!, { resource })
  expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store'])
  expect(body).toMatchObject({
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'kb:read',
    resource: expect.stringMatching(/\/connect\/mcp$/),
  })
  expect(await ask(body.access_token, resource)).toMatchObject({ status: 200, body: { result: { tools: [] } } })

  const renewed = await refresh(clientId, body.refresh_token, { resource })
  expect(renewed.status).toBe(200)
  expect((await ask(renewed.body.access_token, resource)).status).toBe(200)

  const settings = await browser.get('/dashboard/settings')
  expect(settings.text).toMatch(/Connected apps .*127\.0\.0\.1.* Searches Agent/)
})

import { text } from 'node:stream/consumers'
import { openGate } from './gate.ts'
import { listen } from './loopback.ts'

/**
 * Neon's proxy as far as it asks for passwords: refuses log-ins as it does, and hands the rest on to the local endpoint.
 * `passwords` holds user → password; `shutOut` the users that Postgres itself does not let in (nologin); `deleted` those whose project is gone;
 * `beforeRefusal` is what
 * each refusal waits for.
 */
export async function startNeonProxy(endpoint: string) {
  const passwords = new Map<string, string>()
  const state = { passwords, shutOut: new Set<string>(), deleted: new Set<string>(), beforeRefusal: openGate }
  const { origin, close } = await listen(async (request, response) => {
    const { username, password } = new URL(String(request.headers['neon-connection-string']))
    const body = await text(request)
    const refuse = async (status: number, fields: object) => {
      await state.beforeRefusal()
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(fields))
    }
    if (state.deleted.has(username))
      return refuse(400, {
        message: 'The requested endpoint could not be found, or you don’t have access to it.',
        code: '',
      })
    if (passwords.get(username) !== password)
      return refuse(400, { message: `password authentication failed for user '${username}'`, code: '' })
    if (state.shutOut.has(username))
      return refuse(500, { message: `role "${username}" is not permitted to log in`, code: '28000' })
    const forNeon = Object.entries(request.headers).filter(([name]) => name.startsWith('neon-'))
    const headers = Object.fromEntries(forNeon.map(([name, value]) => [name, String(value)]))
    const answer = await fetch(`${endpoint}/sql`, { method: 'POST', headers, body })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    return response.end(await answer.text())
  })
  return Object.assign(state, { origin, close })
}

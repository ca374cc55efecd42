import { text } from 'node:stream/consumers'
import { listen } from '../http/loopback.ts'
import { openGate } from '../time/gate.ts'

/** The rows of a statement, as text. */
type Rows = (string | null)[][]

const changes = /^\s*(insert|update|delete|create|alter|drop|grant|with)\b/i

/**
 * Stands before the local endpoint, which checks passwords as Neon's proxy does; the owner may have another one here. `amend` changes the
 * rows of statements; `beforeWrite` and `afterWrite` stand around each request that changes something, and what they throw is its answer.
 * `deleted` are users whose project is gone; `beforeRefusal` is what each refusal of a login waits for.
 */
export async function startNeonProxy(endpoint: string, owner?: { password: string; actual: string }) {
  const state = {
    amend: (_results: Rows[], _statements: string[]) => {},
    beforeWrite: (_statement: string) => {},
    afterWrite: (_statement: string) => {},
    deleted: new Set<string>(),
    beforeRefusal: openGate,
    /** Log-ins refused so far. */
    refused: 0,
  }
  const { origin, close } = await listen(async (request, response) => {
    const login = new URL(String(request.headers['neon-connection-string']))
    if (owner && login.password === owner.password) login.password = owner.actual
    const body = await text(request)
    const answer = (status: number, fields: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(fields))
    if (state.deleted.has(login.username))
      return answer(400, {
        message: 'The requested endpoint could not be found, or you don’t have access to it.',
        code: '',
      })
    const { queries, query } = JSON.parse(body) as { queries?: { query: string }[]; query?: string }
    const statements = (queries ?? [{ query: query! }]).map((each) => each.query)
    const change = statements.find((each) => changes.test(each))
    try {
      if (change) state.beforeWrite(change)
    } catch (error) {
      return answer(400, { message: String(error), code: 'XX000' })
    }
    const forNeon = Object.entries(request.headers).filter(([name]) => name.startsWith('neon-'))
    const sent = forNeon.map(([name, value]) => [name, String(value)])
    const headers = { ...Object.fromEntries(sent), 'neon-connection-string': login.href }
    const answered = await fetch(endpoint + request.url, { method: 'POST', headers, body })
    const result = (await answered.json()) as {
      results?: { rows: Rows }[]
      rows?: Rows
      code?: string
      message?: string
    }
    if (result.code === '28000' || result.message?.startsWith('password authentication failed')) {
      state.refused++
      await state.beforeRefusal()
    }
    try {
      if (change) state.afterWrite(change)
    } catch (error) {
      return answer(400, { message: String(error), code: 'XX000' })
    }
    const rows = result.results?.map((each) => each.rows) ?? (result.rows && [result.rows])
    if (rows) state.amend(rows, statements)
    return answer(answered.status, result)
  })
  return Object.assign(state, { origin, close })
}

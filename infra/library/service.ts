import { ApiError, type ErrorCode, problems } from '../../shared/http/errors.ts'
import { Unavailable } from '../../shared/unavailable.ts'

export interface ServiceOptions {
  /** The address of the service, such as https://api.example.com. */
  url: string
  key: string
  agentId: string
}

/** The headers of a refusal that are for whoever asked. */
const passedOn: ReadonlySet<string> = new Set(['retry-after', 'ratelimit', 'ratelimit-policy', 'www-authenticate'])

export type Service = ReturnType<typeof service>

/** The service's HTTP API, of one agent. @throws ApiError as the service answers; Unavailable if there is no answer, or a 5xx */
export function service({ url, key, agentId }: ServiceOptions) {
  const base = `${url.replace(/(?<!\/)\/+$/, '')}/v1/agents/${agentId}`

  async function send(path: string, init: RequestInit, milliseconds: number): Promise<Response> {
    const sent = { 'x-api-key': key, ...(init.body !== undefined && { 'content-type': 'application/json' }) }
    const timeout = AbortSignal.timeout(milliseconds)
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout
    let response: Response
    try {
      response = await fetch(`${base}${path}`, { ...init, headers: sent, signal })
    } catch (error) {
      throw new Unavailable('cuecard', (error as Error).cause ?? error)
    }
    if (response.ok || response.status === 304) return response
    const problem: unknown = await response.json().catch(() => undefined)
    if (response.status >= 500 || !isProblem(problem)) {
      const seconds = Number(response.headers.get('retry-after')) || undefined
      throw new Unavailable('cuecard', new Error(`The service answers with ${response.status}`), seconds)
    }
    const { code, detail, errors } = problem
    const headers = [...response.headers].filter(([name]) => passedOn.has(name))
    throw new ApiError(code, detail, { errors, headers: Object.fromEntries(headers) })
  }

  return {
    url: base,
    get: (path: string, milliseconds: number, signal: AbortSignal) => send(path, { signal }, milliseconds),
    async post(path: string, body: unknown, milliseconds: number): Promise<unknown> {
      const response = await send(path, { method: 'POST', body: JSON.stringify(body) }, milliseconds)
      return response.status === 200 ? await response.json() : undefined
    },
  }
}

type Problem = Pick<ApiError, 'errors'> & { code: ErrorCode; detail: string }

function isProblem(problem: unknown): problem is Problem {
  const { code } = (problem ?? {}) as Partial<Problem>
  return typeof code === 'string' && Object.hasOwn(problems, code)
}

import { setTimeout } from 'node:timers/promises'
import { CommandError } from '../command-line/command-error.ts'
import { messageOf } from '../error-message.ts'

/**
 * Sends one request with the key, and repeats it while the system answers that it is busy.
 * @returns the parsed answer; undefined if it is empty
 * @throws CommandError unless it succeeds; AbortError if the signal is aborted during a wait
 */
export type Api = (
  method: 'GET' | 'PATCH' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  options?: RequestOptions,
) => Promise<unknown>

export interface RequestOptions {
  /** Statuses that mean busy. A request with a 503 may have taken effect. */
  busy?: readonly number[]
  attempts?: number
  /** Accepts a 404, as if the resource had been deleted. */
  mayBeMissing?: boolean
  signal?: AbortSignal
}

/** @throws CommandError if BASE_URL or API_KEY is missing */
export function openApi(env: NodeJS.ProcessEnv): Api {
  const { url, apiKey } = serviceOf(env)
  return apiOf(url, apiKey)
}

/** @throws CommandError if BASE_URL or API_KEY is missing */
export function serviceOf({ BASE_URL: url = '', API_KEY: apiKey }: NodeJS.ProcessEnv) {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new CommandError('set BASE_URL to the address of the API, such as http://127.0.0.1:8787')
  if (!apiKey) throw new CommandError('set API_KEY to a key of the agent’s organization')
  return { url, apiKey }
}

const maxRetrySeconds = 30

/** Advice for the caller, by status. */
const advice: Record<number, string> = {
  401: 'set API_KEY to a key of the agent’s organization',
  404: 'check the agent’s id and BASE_URL; the key must belong to the agent’s organization',
}

/** @param url such as `http://127.0.0.1:8787` */
export function apiOf(url: string, apiKey: string): Api {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }

  return async function request(method, path, body, options = {}) {
    const { busy = [429, 503], attempts = 4, mayBeMissing = false, signal } = options
    const address = url.replace(/(?<!\/)\/+$/, '') + path
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(address, { method, headers, ...(body && { body: JSON.stringify(body) }) }).catch(
        (error: Error) => {
          throw new CommandError(`cannot reach ${address}: ${messageOf(error.cause ?? error)}`)
        },
      )
      if (response.status === 204 || (mayBeMissing && response.status === 404)) return undefined
      if (response.ok) return await response.json()
      if (!busy.includes(response.status) || attempt === attempts)
        throw new CommandError(await refusal(response, address))
      const seconds = Math.min(maxRetrySeconds, Number(response.headers.get('retry-after')) || attempt)
      await setTimeout(1000 * seconds, undefined, signal && { signal })
    }
  }
}

async function refusal(response: Response, address: string): Promise<string> {
  const text = await response.text()
  const hint = advice[response.status]
  return `${address} responded ${response.status}: ${detailOf(text)}${hint ? ` (${hint})` : ''}`
}

/** The detail of a problem document, or the text of any other answer. */
function detailOf(text: string): string {
  try {
    const { title, detail, errors = [] } = JSON.parse(text)
    const inputs = errors.map(
      ({ pointer, parameter, detail }: Record<string, string>) => `${pointer ?? parameter} ${detail}`,
    )
    return [detail ?? title ?? text, ...inputs].join('; ')
  } catch {
    return text.slice(0, 200)
  }
}

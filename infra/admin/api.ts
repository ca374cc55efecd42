import { setTimeout } from 'node:timers/promises'
import { messageOf } from '../error-message.ts'
import { CommandError } from './command-error.ts'

/**
 * Sends one request, with the key, again while the system answers that it is busy.
 * @param busy with which statuses; a 503 may have taken effect
 * @returns the parsed answer
 * @throws CommandError unless it succeeds
 */
export type Api = (method: 'GET' | 'POST', path: string, body?: object, busy?: readonly number[]) => Promise<unknown>

/** @throws CommandError when BASE_URL or API_KEY is missing */
export function openApi({ BASE_URL: url = '', API_KEY: apiKey }: NodeJS.ProcessEnv): Api {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new CommandError('set BASE_URL to the address of the API, such as http://127.0.0.1:8787')
  if (!apiKey) throw new CommandError('set API_KEY to a key of the agent’s organization')
  return apiOf(url, apiKey)
}

const attempts = 4
const maxRetrySeconds = 10

/** What went wrong for the caller, and what to do. */
const advice: Record<number, string> = {
  401: 'set API_KEY to a key of the agent’s organization',
  404: 'check the agent’s id and BASE_URL; the key must belong to the agent’s organization',
}

/** @param url such as `http://127.0.0.1:8787` */
export function apiOf(url: string, apiKey: string): Api {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }

  return async function request(method, path, body, busy = [429, 503]) {
    const address = url.replace(/\/+$/, '') + path
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(address, { method, headers, ...(body && { body: JSON.stringify(body) }) }).catch(
        (error: Error) => {
          throw new CommandError(`cannot reach ${address}: ${messageOf(error.cause ?? error)}`)
        },
      )
      if (response.ok) return await response.json()
      if (!busy.includes(response.status) || attempt === attempts)
        throw new CommandError(await refusal(response, address))
      await setTimeout(1000 * Math.min(maxRetrySeconds, Number(response.headers.get('retry-after')) || attempt))
    }
  }
}

async function refusal(response: Response, address: string): Promise<string> {
  const text = await response.text()
  const hint = advice[response.status]
  return `${address} responded ${response.status}: ${detailOf(text)}${hint ? ` (${hint})` : ''}`
}

/** The detail of a problem document, or the text of what else answers at that address. */
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

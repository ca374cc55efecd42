import { setTimeout } from 'node:timers/promises'
import { CommandError } from '../../infra/admin/command-error.ts'
import { messageOf } from '../../infra/error-message.ts'
import type { Search, SearchAnswer } from './ask.ts'

export interface Target {
  /** Such as `http://127.0.0.1:8787`. */
  url: string
  agentId: string
  apiKey: string
}

const attempts = 4
const maxRetrySeconds = 10

/** What went wrong for the caller, and what to do. */
const advice: Record<number, string> = {
  401: 'set --key or API_KEY to a key of the agent’s organization',
  403: 'the key needs the permission kb:read',
  404: 'check --agent and --url; the key must belong to the agent’s organization',
}

/** Searches of an agent of a running system, over HTTP. Waits and tries again when that is too busy. */
export function searchOf({ url, agentId, apiKey }: Target): Search {
  const address = `${url.replace(/\/+$/, '')}/v1/agents/${encodeURIComponent(agentId)}/knowledge-base/search`
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }

  return async function search(request) {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(request) }).catch(
        (error: Error) => {
          throw new CommandError(`cannot reach ${address}: ${messageOf(error.cause ?? error)}`)
        },
      )
      if (response.ok) return (await response.json()) as SearchAnswer
      const isBusy = response.status === 429 || response.status === 503
      if (!isBusy || attempt === attempts) throw new CommandError(await refusal(response, address))
      await setTimeout(1000 * Math.min(maxRetrySeconds, Number(response.headers.get('retry-after')) || attempt))
    }
  }
}

async function refusal(response: Response, address: string): Promise<string> {
  const text = await response.text()
  const hint = advice[response.status]
  return `${address} responded ${response.status}: ${detailOf(text)}${hint ? ` (${hint})` : ''}`
}

/** Of a problem document, or of what else answers at that address. */
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

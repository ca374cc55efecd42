import { responseTo, type Way } from '../support/provider/provider-responses.ts'
import { reach } from './process.ts'

export const providerKey = 'sk-simulation-canary-0123456789'

/** The weights of the provider's odd answers, when it gives one. */
export const oddWays: Partial<Record<Way, number>> = {
  reordered: 4,
  as_numbers: 4,
  too_many_requests: 6,
  retry_after: 4,
  server_error: 4,
  unavailable_retry_after: 2,
  too_few: 3,
  zeros: 3,
  not_finite: 2,
  long_vector: 2,
  same_index_twice: 2,
  no_json: 2,
  unauthorized: 2,
}

/** OpenAI's embeddings call as a `fetch` with a scripted answer at each point. */
export function simulatedProvider(calls: string[][]): typeof fetch {
  return ((_url: string, { body }: { body: string }) => {
    const texts: string[] = JSON.parse(body).input
    const answer = (way = 'ok') => {
      calls.push(texts)
      return Promise.resolve(respond(responseTo(texts, way as Way)))
    }
    return reach('provider', answer, () => new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  }) as unknown as typeof fetch
}

/** The used parts of a Response, without streams, so that the caller reads it in the same turn of the event loop. */
function respond({ status, headers, body }: ReturnType<typeof responseTo>) {
  return { ok: status === 200, status, headers: new Headers(headers), body: [Buffer.from(body)] }
}

import { type Client, crawlClient } from '../../../functions/crawler/site/client.ts'
import { request } from '../../../shared/outbound/request.ts'

/** A client whose pauses pass at once; `pauses` are those it made. */
export function instantClient(own: typeof request = request): Client & { pauses: number[]; now: () => number } {
  const pauses: number[] = []
  let passed = 0
  const now = () => passed
  const client = crawlClient({
    request: own,
    contact: 'https://cuecard.example/crawler',
    isLoopbackAllowed: true,
    now,
    sleep: (milliseconds) => {
      pauses.push(milliseconds)
      passed += milliseconds
      return Promise.resolve()
    },
  })
  return { ...client, pauses, now }
}

import type { OutboundResponse, request } from '../../../shared/outbound/request.ts'

export interface ClientSettings {
  request: typeof request
  /** Where people can complain, an address of a page or of a mailbox: it stands in the User-Agent. */
  contact: string
  isLoopbackAllowed: boolean
  /** Milliseconds. */
  now: () => number
  sleep: (milliseconds: number) => Promise<void>
}

/** One for a process: it asks a host one request at a time, with a pause. */
export interface Client {
  now: () => number
  get(address: string, options: { headers?: Record<string, string>; maxBytes: number }): Promise<OutboundResponse>
  /** Sets the pause of a host; 1 second without it, at most 30. */
  setPause(address: string, seconds: number): void
}

export const maxPauseSeconds = 30
const milliseconds = 10_000

export function crawlClient({ request, contact, isLoopbackAllowed, now, sleep }: ClientSettings): Client {
  const userAgent = `Cuecard/1 (+${contact})`
  return {
    now,
    async get(address, { headers = {}, maxBytes }) {
      await sleep(1_000)
      const all = { 'user-agent': userAgent, ...headers }
      return await request(address, { method: 'GET', headers: all, maxBytes, milliseconds, isLoopbackAllowed })
    },
    setPause() {},
  }
}

import { BoundedMap } from '../../../shared/bounded-map.ts'
import { type Semaphore, semaphore } from '../../../shared/concurrency/semaphore.ts'
import { OutboundFailed, type OutboundResponse, type request } from '../../../shared/outbound/request.ts'
import { hostOf } from './address.ts'

export interface ClientSettings {
  request: typeof request
  /** The page or mail address where people can complain; the User-Agent names it. */
  contact: string
  isLoopbackAllowed: boolean
  /** Milliseconds. */
  now: () => number
  sleep: (milliseconds: number) => Promise<void>
}

/** One client serves the process: it sends a host one request at a time, with a pause. */
export interface Client {
  /** @throws OutboundRefused, OutboundFailed */
  get(address: string, options: { headers?: Record<string, string>; maxBytes: number }): Promise<OutboundResponse>
  /** Sets the pause of a host; 1 second without it. */
  setPause(address: string, seconds: number): void
}

interface Host {
  turn: Semaphore
  pause: number
  readyAt: number
}

const requestMilliseconds = 10_000
/** The client does not wait for a host that asks for a longer pause. */
const maxWait = 60_000
const maxHosts = 10_000

export function crawlClient({ request, contact, isLoopbackAllowed, now, sleep }: ClientSettings): Client {
  const hosts = new BoundedMap<string, Host>(maxHosts)
  const hostAt = (address: string): Host => {
    const host = hosts.get(hostOf(address)) ?? { turn: semaphore(1), pause: 1_000, readyAt: 0 }
    hosts.set(hostOf(address), host)
    return host
  }
  return {
    async get(address, { headers = {}, maxBytes }) {
      const host = hostAt(address)
      return await host.turn.run(async () => {
        const wait = host.readyAt - now()
        if (wait > maxWait)
          throw new OutboundFailed(`The site asks for no requests in the next ${Math.ceil(wait / 60_000)} minutes`)
        if (wait > 0) await sleep(wait)
        const response = await request(address, {
          method: 'GET',
          headers: { 'user-agent': `Cuecard/1 (+${contact})`, ...headers },
          maxBytes,
          milliseconds: requestMilliseconds,
          isLoopbackAllowed,
        }).finally(() => {
          host.readyAt = now() + host.pause
        })
        host.readyAt += retryAfter(response, now())
        return response
      })
    },
    setPause(address, seconds) {
      hostAt(address).pause = seconds * 1_000
    },
  }
}

/** Milliseconds. */
function retryAfter({ status, headers }: OutboundResponse, now: number): number {
  const value = headers['retry-after']
  if (!value || (status !== 429 && status !== 503)) return 0
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isNaN(milliseconds) ? 0 : Math.min(Math.max(0, milliseconds), 24 * 3_600_000)
}

import { Agent, request as httpRequest } from 'node:http'
import type { Outcome } from './stream.ts'

export interface Request {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

export interface Ended {
  outcome: Outcome
  hasRetryAfter: boolean
  /** By `performance.now()`. */
  endedAt: number
}

/** Sends over as many connections as are needed, kept alive. Never rejects: how a request ended is its outcome. */
export function sender(origin: string, timeoutSeconds: number) {
  const agent = new Agent({ keepAlive: true })
  const { hostname: host, port } = new URL(origin)

  function send({ body, ...options }: Request): Promise<Ended> {
    return new Promise((resolve) => {
      const end = (outcome: Outcome, hasRetryAfter = false) => {
        clearTimeout(timer)
        resolve({ outcome, hasRetryAfter, endedAt: performance.now() })
      }
      const request = httpRequest({ agent, host, port, ...options })
      const timer = setTimeout(() => {
        end('timeout')
        request.destroy()
      }, timeoutSeconds * 1000)
      request.once('error', () => end('reset'))
      request.once('response', (response) => {
        response.once('error', () => end('reset'))
        response.once('end', () => end(response.statusCode!, 'retry-after' in response.headers))
        response.resume()
      })
      request.end(body)
    })
  }

  return { send, close: () => agent.destroy() }
}

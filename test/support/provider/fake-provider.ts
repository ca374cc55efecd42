import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { responseTo, type Scripted, type Way } from './provider-responses.ts'

export interface ProviderCall {
  texts: string[]
  model: string
  dimensions: number | undefined
  authorization: string | undefined
  traceparent: string | undefined
}

/** A line of the script, for a call: a way to respond, a response, no response, or a broken connection. */
export type Line = Ending | ((call: ProviderCall) => Ending | Promise<Ending>)
type Ending = Way | Scripted | 'hang' | 'break_off'

/** The content of a chunk in the text that is embedded for it, which begins with a line of title and headings. */
export function contentOf(embedded: string): string {
  return embedded.slice(embedded.indexOf('\n\n') + 2)
}

/** An embeddings provider for a test file: a real HTTP server with OpenAI's call, and a script of its faults. */
export function useFakeProvider() {
  const calls: ProviderCall[] = []
  let script: Line[] = []
  let otherwise: Line = 'ok'
  let inFlight = 0
  let maxInFlight = 0
  let flooded = 0
  const server = createServer((request, response) => void respond(request, response))

  async function respond(request: IncomingMessage, response: ServerResponse) {
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return void response.writeHead(404).end()
    const { input, model, dimensions, encoding_format } = (await json(request)) as Record<string, unknown>
    if (encoding_format !== 'base64') return void response.writeHead(400).end('{}')
    const { authorization, traceparent } = request.headers as Record<string, string | undefined>
    const call = {
      texts: input as string[],
      model: model as string,
      dimensions: dimensions as number | undefined,
      authorization,
      traceparent,
    }
    calls.push(call)
    maxInFlight = Math.max(maxInFlight, ++inFlight)
    response.once('close', () => inFlight--)
    const next = script.shift() ?? otherwise
    const line = typeof next === 'function' ? await next(call) : next
    if (line === 'hang') return
    const { status, headers, body, tail }: Scripted =
      typeof line === 'object' ? line : responseTo(call.texts, line === 'break_off' ? 'ok' : line)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    if (tail) response.write(body, () => (tail === 'drip' ? drip(response) : flood(response)))
    else if (line === 'break_off') response.write(body.slice(0, 20), () => response.destroy())
    else response.end(body)
  }

  function flood(response: ServerResponse) {
    response.write(' '.repeat(65_536), (error) => {
      if (error) return
      flooded += 65_536
      flood(response)
    })
  }

  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  beforeEach(() => {
    calls.length = 0
    script = []
    otherwise = 'ok'
    maxInFlight = 0
    flooded = 0
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  return {
    /** The calls of this test, in the order of arrival. */
    calls,
    /** Sets how the next calls end, and then all others. */
    script(lines: Line[], then: Line = 'ok') {
      script = [...lines]
      otherwise = then
    },
    get maxInFlight() {
      return maxInFlight
    },
    /** Bytes of a flood that were sent. */
    get flooded() {
      return flooded
    },
    get baseUrl() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    },
  }
}

function drip(response: ServerResponse) {
  const interval = setInterval(() => response.write(' '), 10)
  response.once('close', () => clearInterval(interval))
}

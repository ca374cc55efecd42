import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { type Message, methodNotFound } from './schemas.ts'
import { instructions } from './tool-texts.ts'

interface Offer {
  tools: Tool[]
  call(name: string, input: unknown): Promise<CallToolResult>
}

/** Clients of the 2026 protocol may cache the list of tools for this time; an agent's first document makes it longer. */
const listMilliseconds = 10_000

/** Answers one message of a client of either protocol as JSON. The library's `McpServer` would convert all schemas for each request. */
export async function respond(request: Request, message: Message, offer: Offer): Promise<Response> {
  const server = new Server(
    { name: 'cuecard', title: 'Cuecard', version: '1.0.0' },
    {
      capabilities: { tools: {} },
      instructions,
      cacheHints: { 'tools/list': { ttlMs: listMilliseconds, cacheScope: 'private' } },
      jsonSchemaValidator: { getValidator: validatesNothing },
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools: offer.tools }))
  server.setRequestHandler('tools/call', ({ params }) => offer.call(params.name, params.arguments ?? {}))

  const failures: unknown[] = []
  const isLegacy = await isLegacyRequest(request, message)
  // The library would open a stream, which a Lambda cannot keep open.
  if (!isLegacy && message.method === 'subscriptions/listen' && message.id !== undefined)
    return Response.json({ ...methodNotFound, id: message.id }, { status: 404 })
  const response = isLegacy
    ? await respondToLegacy(server, request, message)
    : await createMcpHandler(() => server, {
        legacy: 'reject',
        onerror: (error) => failures.push(error),
      }).fetch(request, { parsedBody: message })
  if (response.status >= 500) throw failures.at(-1) ?? new Error(`The MCP library responds with ${response.status}`)
  return response
}

async function respondToLegacy(server: Server, request: Request, message: Message): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const headers = new Headers(request.headers)
  // The library requires that a client accepts both.
  headers.set('accept', 'application/json, text/event-stream')
  return await transport.handleRequest(new Request(request, { headers }), { parsedBody: message })
}

/** Replaces the validator of elicitation, which we do not use: the library would set one up for each server. */
function validatesNothing(): never {
  throw new Error('This server validates no schemas')
}

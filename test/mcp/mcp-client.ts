import type { Answer, Call, Tenant } from '../support/stand/stand.ts'

export const eras = ['2025-11-25', '2026-07-28'] as const
export type Era = (typeof eras)[number]

interface Sent {
  params: Record<string, unknown>
  headers: Record<string, string>
}

/** The body and headers that a client of that protocol sends. */
export function sentIn(era: Era, method: string, params: Record<string, unknown> = {}): Sent {
  const version = { 'mcp-protocol-version': era, accept: 'application/json, text/event-stream' }
  if (era === '2025-11-25') return { params, headers: version }
  const name: Record<string, string> = params.name === undefined ? {} : { 'mcp-name': String(params.name) }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': era,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { params: { ...params, _meta }, headers: { ...version, 'mcp-method': method, ...name } }
}

/** A client of one agent's knowledge base, which sends through `call`. */
export function mcpClient({ agentId, call }: Pick<Tenant, 'agentId'> & { call: Call }, era: Era = '2025-11-25') {
  const path = `/v1/agents/${agentId}/mcp`

  async function send(method: string, params?: Record<string, unknown>, more?: object): Promise<Answer> {
    const sent = sentIn(era, method, params)
    const body = { jsonrpc: '2.0', id: 1, method, params: sent.params }
    return await call('POST', path, body, { ...sent.headers, ...more })
  }

  return {
    path,
    send,
    async notify(method: string): Promise<Answer> {
      const { params, headers } = sentIn(era, method)
      return await call('POST', path, { jsonrpc: '2.0', method, params }, headers)
    },
    // biome-ignore lint/suspicious/noExplicitAny: tests state what they expect of it
    async list(): Promise<any[]> {
      return (await send('tools/list')).body.result.tools
    },
    /** The result of a tool. */
    // biome-ignore lint/suspicious/noExplicitAny: tests state what they expect of it
    async tool(name: string, input: Record<string, unknown>): Promise<any> {
      return (await send('tools/call', { name, arguments: input })).body.result
    },
  }
}

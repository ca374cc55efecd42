import { MCPServerStreamableHttp } from '@openai/agents'

export async function open(url, headers) {
  const server = new MCPServerStreamableHttp({ url, requestInit: { headers } })
  await server.connect()
  return {
    list: () => server.listTools(),
    call: (name, input) => server.callToolResult(name, input),
    close: () => server.close(),
  }
}

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export async function openSdk(url, headers, mode) {
  const client = new Client({ name: 'clients', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, input) => client.callTool({ name, arguments: input }),
    close: () => client.close(),
  }
}

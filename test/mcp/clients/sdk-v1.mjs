import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** The release before, which most platforms still use. */
export async function open(url, headers) {
  const client = new Client({ name: 'clients', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, input) => client.callTool({ name, arguments: input }),
    close: () => client.close(),
  }
}

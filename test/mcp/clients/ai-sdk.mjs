import { createMCPClient } from '@ai-sdk/mcp'

export async function open(url, headers) {
  const client = await createMCPClient({ transport: { type: 'http', url, headers } })
  return {
    list: async () => Object.entries(await client.tools()).map(([name]) => ({ name })),
    async call(name, input) {
      const tools = await client.tools()
      return await tools[name].execute(input, { toolCallId: '1', messages: [] })
    },
    close: () => client.close(),
  }
}

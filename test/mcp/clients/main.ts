// MCP clients that others wrote, against a stand behind the local gateway: npm run test:mcp, or with the names of some of them.
import { createAgent } from '../../../infra/admin/tenants.ts'
import { startStand } from '../../../infra/local/stand.ts'
import { log } from '../../../shared/log.ts'
import { report, run, withForeignPackages } from '../../foreign/packages.ts'
import { makeTenant } from '../../support/tenant.ts'

const clients = ['sdk-2026', 'sdk-2025', 'sdk-v1', 'openai-agents', 'ai-sdk', 'inspector']

log.setLogLevel('WARN')
const directory = withForeignPackages(import.meta.dirname, 'mcp')
const stand = await startStand({ port: 0 })
try {
  const environment = await prepare()
  const wanted = process.argv.slice(2)
  const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)
  for (const name of clients.filter(isWanted))
    await report(name, async () => {
      await run({ directory, command: `node check.mjs ${name}`, environment })
      return 'lists, searches, fetches, is told its faults and kept out without a key'
    })
  if (isWanted('conformance'))
    await report(
      'conformance',
      async () => `\n${await run({ directory, command: 'node conformance.mjs', environment })}`,
    )
} finally {
  await stand.close()
}

/** One agent with a document that is ready, and one without. @returns what the clients are told */
async function prepare(): Promise<Record<string, string>> {
  const { organizationId, agentId, apiKey, knowledgeBase } = await makeTenant(stand.db)
  const empty = await createAgent(stand.db, organizationId, 'Empty')
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const created = await fetch(`${stand.origin}${knowledgeBase}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ title: 'Opening hours', content: 'On Sunday we are closed. On Monday we open at nine.' }),
  })
  const document = `${stand.origin}${created.headers.get('location')}`
  for (;;) {
    const { status } = (await (await fetch(document, { headers })).json()) as { status: string }
    if (status === 'completed') break
    if (status === 'error') throw new Error('the document could not be processed')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    MCP_URL: `${stand.origin}/v1/agents/${agentId}/mcp`,
    EMPTY_URL: `${stand.origin}/v1/agents/${empty.id}/mcp`,
    API_KEY: apiKey,
    QUESTION: 'Are you open on Sunday?',
    ANSWER: 'On Sunday we are closed',
    // Traces would go to their makers' hosts.
    OPENAI_AGENTS_DISABLE_TRACING: '1',
  }
}

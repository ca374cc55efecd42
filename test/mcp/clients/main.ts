// MCP clients that others wrote, against a stand behind the local gateway: npm run test:mcp, or with the names of some of them.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createAgent, createKey, createOrganization } from '../../../infra/admin/tenants.ts'
import { startStand } from '../../../infra/local/stand.ts'
import { log } from '../../../shared/log.ts'
import { copyWithPackages } from '../../support/own-packages.ts'

const clients = ['sdk-2026', 'sdk-2025', 'sdk-v1', 'openai-agents', 'ai-sdk', 'inspector']
const installed = join(import.meta.dirname, '../../../node_modules/.cache/cuecard/mcp-clients')

log.setLogLevel('WARN')
copyWithPackages(import.meta.dirname, installed, console.error)
const stand = await startStand({ port: 0 })
try {
  const environment = await prepare()
  const wanted = process.argv.slice(2)
  for (const name of [...clients, 'conformance'].filter((each) => wanted.length === 0 || wanted.includes(each))) {
    const started = performance.now()
    const { code, output } = await run(name, environment)
    if (code !== 0) process.exitCode = 1
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
    if (code !== 0 || name === 'conformance') console.log(output.trimEnd())
  }
} finally {
  await stand.close()
}

/** One agent with a document that is ready, and one without. @returns what the clients are told */
async function prepare(): Promise<Record<string, string>> {
  const { db } = stand
  const organization = await createOrganization(db, 'Clients')
  const [agent, empty] = [
    await createAgent(db, organization.id, 'Agent'),
    await createAgent(db, organization.id, 'Empty'),
  ]
  const { key } = await createKey(db, {
    organizationId: organization.id,
    name: 'clients',
    permissions: ['kb:read', 'kb:write'],
  })
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const created = await fetch(`${stand.origin}/v1/agents/${agent.id}/knowledge-base`, {
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
    MCP_URL: `${stand.origin}/v1/agents/${agent.id}/mcp`,
    EMPTY_URL: `${stand.origin}/v1/agents/${empty.id}/mcp`,
    API_KEY: key,
    QUESTION: 'Are you open on Sunday?',
    ANSWER: 'On Sunday we are closed',
  }
}

async function run(
  name: string,
  environment: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const script = clients.includes(name) ? ['check.mjs', name] : [`${name}.mjs`]
  const child = spawn(process.execPath, script, {
    cwd: installed,
    // Traces would go to their makers' hosts.
    env: { ...process.env, ...environment, OPENAI_AGENTS_DISABLE_TRACING: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, output: out + error }
}

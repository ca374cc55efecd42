// Runs third-party MCP clients against a stand behind the local gateway: npm run test:mcp, or with the names of some.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent } from '../../../infra/admin/agents.ts'
import { addPerson } from '../../../infra/admin/people.ts'
import { startStand } from '../../../infra/local/stand.ts'
import type { OrganizationId } from '../../../shared/ids.ts'
import { signInAs } from '../../../shared/organizations/sessions.ts'
import { log } from '../../../shared/telemetry/log.ts'
import { report, run, withForeignPackages } from '../../foreign/packages.ts'
import { makeTenant } from '../../support/stand/tenant.ts'

const clients = ['sdk-2026', 'sdk-2025', 'sdk-v1', 'openai-agents', 'ai-sdk', 'inspector']

log.setLogLevel('WARN')
const directory = withForeignPackages(import.meta.dirname, 'mcp')
// An app's document has an https address, here with a self-signed certificate.
process.env.ALLOW_LOOPBACK = 'true'
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
const stand = await startStand({ port: 0 })
const documents = await serveDocument()
try {
  const environment = await prepare()
  const wanted = process.argv.slice(2)
  const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)
  for (const name of clients.filter(isWanted))
    await report(name, async () => {
      await run({ directory, command: `node check.mjs ${name}`, environment })
      return 'lists, searches, fetches, gets its errors and is refused without a key'
    })
  for (const sdk of ['sdk-v1', 'sdk-v2'])
    if (isWanted('oauth'))
      await report(`oauth ${sdk}`, async () => {
        await run({ directory, command: `node oauth.mjs ${sdk}`, environment })
        return 'connects by document and by registration, refreshes, is revoked and registers again'
      })
  if (isWanted('conformance'))
    await report(
      'conformance',
      async () => `\n${await run({ directory, command: 'node conformance.mjs', environment })}`,
    )
} finally {
  documents.close()
  await stand.close()
}

/** Makes an agent with a ready document, and one without. @returns the clients' settings */
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
    OAUTH_URL: `${stand.origin}/v1/agents/${agentId}/connect/mcp`,
    SESSION: await session(organizationId),
    CLIENT_DOCUMENT: `https://127.0.0.1:${(documents.address() as AddressInfo).port}/client.json`,
    QUESTION: 'Are you open on Sunday?',
    ANSWER: 'On Sunday we are closed',
    // Traces would go to their makers' hosts.
    OPENAI_AGENTS_DISABLE_TRACING: '1',
  }
}

/** @returns the token of a person's session */
async function session(organization: OrganizationId): Promise<string> {
  const mail = 'anna@paws-inn.example'
  await addPerson(stand.db, { organization, mail, role: 'viewer' })
  const opened = await signInAs(stand.db, mail)
  if (opened.outcome === 'refused') throw new Error('the person could not sign in')
  return opened.token
}

/** Serves an app's metadata at the address that is its id. */
async function serveDocument() {
  const folder = mkdtempSync(join(tmpdir(), 'cuecard-certificate-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-nodes', '-subj', '/CN=app', '-days', '1', '-keyout', key, '-out', cert]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject], { stdio: 'ignore' })
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, ({ headers, url }, response) => {
    const said = {
      client_name: 'SDK',
      redirect_uris: ['http://localhost/callback'],
      client_id: `https://${headers.host}${url}`,
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  })
  rmSync(folder, { recursive: true })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

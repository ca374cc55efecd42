// The official conformance suite, against MCP_URL. It sends no key, so it goes through a proxy that adds one.
import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import { text } from 'node:stream/consumers'

const { MCP_URL, API_KEY } = process.env
const upstream = new URL(MCP_URL)

/** The reasons why scenarios do not apply. */
const itsOwnTool = 'calls a tool that the suite expects a server to offer for it'
const notOffered = (what) => `${what}: we offer none, and declare none`
const notStreamed = 'needs a session and a stream, which we do not have'
const left = {
  'logging-set-level': notOffered('logging'),
  'completion-complete': notOffered('completion'),
  'json-schema-2020-12': itsOwnTool,
  'elicitation-sep1034-defaults': itsOwnTool,
  'elicitation-sep1330-enums': itsOwnTool,
  'server-sse-polling': notStreamed,
  'server-sse-multiple-streams': notStreamed,
  'dns-rebinding-protection': 'is for servers without authentication; a hostile page has no key to send',
}
const leftByPrefix = {
  'tools-call-': itsOwnTool,
  'resources-': notOffered('resources'),
  'prompts-': notOffered('prompts'),
}

const proxy = createServer((incoming, outgoing) => {
  const { host: _, ...headers } = incoming.headers
  const options = { method: incoming.method, headers: { ...headers, 'x-api-key': API_KEY } }
  const forwarded = request(new URL(incoming.url, upstream), options, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers)
    answer.pipe(outgoing)
  })
  incoming.pipe(forwarded)
})
await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${proxy.address().port}${upstream.pathname}`

const { output: list } = await conformance('list', '--server')
const scenarios = [...list.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name)
let failures = scenarios.length > 0 ? 0 : 1
const reasonFor = (scenario) =>
  left[scenario] ?? Object.entries(leftByPrefix).find(([prefix]) => scenario.startsWith(prefix))?.[1]

for (const scenario of scenarios.filter((each) => !reasonFor(each))) {
  const { output, code } = await conformance('server', '--url', url, '--scenario', scenario)
  const [summary = 'no result', passed] = /Passed: (\d+).*/.exec(output) ?? []
  const isPassed = code === 0 && Number(passed) > 0
  if (!isPassed) failures++
  console.log(`  ${isPassed ? '✓' : '✗'} ${scenario}: ${summary}`)
  if (!isPassed) console.log(output)
}
for (const scenario of scenarios.filter(reasonFor)) console.log(`  – ${scenario}: ${reasonFor(scenario)}`)
proxy.closeAllConnections()
proxy.close()
process.exitCode = failures === 0 ? 0 : 1

async function conformance(...options) {
  const child = spawn('conformance', options, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.on('close', resolve))
  return { output: await text(child.stdout), code: await ended }
}

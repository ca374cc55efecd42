import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { languages } from '../../functions/reference/browser/samples.js'
import { useGateway } from '../support/stand/gateway.ts'
import { useStand } from '../support/stand/stand.ts'
import { isInstalled } from '../support/tools/installed.ts'

const stand = useStand()
const gateway = useGateway(stand)

interface Runner {
  needs: string
  /** The program that runs the samples, and its options before the code. */
  command: [string, ...string[]]
  /** Runs one sample after a line with its number, prints its failure, and goes on. */
  wrap: (code: string, number: number) => string
}

const runners: Record<string, Runner> = {
  curl: {
    needs: 'curl',
    command: ['sh', '-c'],
    wrap: (code, i) =>
      `echo '--- ${i}'\n${code.replace('curl', 'curl -sS --fail-with-body')} 2>&1 || echo ' FAILED'; echo`,
  },
  typescript: {
    needs: 'sh',
    command: [process.execPath, '--input-type=module', '--eval'],
    wrap: (code, i) =>
      `console.log('--- ${i}'); await (async () => {\n${code}\n})().catch((error) => console.log('FAILED', error))`,
  },
  python: {
    needs: 'python3',
    command: ['python3', '-c'],
    wrap: (code, i) =>
      `print('--- ${i}')\ntry:\n${code.replaceAll(/^/gm, '    ')}\nexcept Exception as error:\n    print('FAILED', repr(error))`,
  },
}

/** Runs samples one after the other in one process. @returns the output of each */
async function run(language: string, samples: string[]): Promise<string[]> {
  const { command, wrap } = runners[language]!
  const [program, ...options] = command
  const { stdout } = await promisify(execFile)(program, [...options, samples.map(wrap).join('\n')], {
    env: { PATH: process.env.PATH, PYTHONPATH: join(import.meta.dirname, '../support/python') },
    // They print the OpenAPI document, too.
    maxBuffer: 10_000_000,
  })
  return stdout
    .split(/^--- \d+\n/m)
    .slice(1)
    .map((output) => output.trim())
}

function filledIn(sample: string, values: Record<string, string>): string {
  return sample.replaceAll(/\$([A-Z][A-Z_]*)/g, (whole, name: string) => values[name] ?? whole)
}

/** The requests of the page in this language, verbatim. */
async function samplesOfPage(language: string) {
  const page = String((await stand.http('GET', '/v1/docs')).body)
  return [...page.matchAll(/<form class="call"[\s\S]+?<\/form>/g)].map(([form]) => ({
    name: toText(/<p class="line">(.+?)<\/p>/.exec(form)![1]!),
    code: toText(new RegExp(`<pre data-language="${language}"[^>]*><code>([\\s\\S]+?)</code>`).exec(form)![1]!),
  }))
}

const entities: Record<string, string> = { amp: '&', quot: '"', '#39': "'", lt: '<', gt: '>' }
const toText = (html: string) =>
  html.replaceAll(/<[^>]+>/g, '').replaceAll(/&([a-z]+|#39);/g, (_, name: string) => entities[name]!)

test.for(Object.keys(languages))(
  'in %s every sample of the page runs and prints its response, and a sample sends any text unchanged',
  async (language, context) => {
    const { needs } = runners[language]!
    context.skip(!isInstalled(needs), `needs ${needs}`)
    const samples = await samplesOfPage(language)
    expect(samples.length).toBeGreaterThan(20)
    const { apiKey, agentId, call, knowledgeBase } = await stand.tenant()
    const values = { BASE_URL: gateway.origin, API_KEY: apiKey, AGENT_ID: agentId, REVISION: '1' }
    const hooks = await Promise.all(
      ['one', 'deleted'].map(async (name) => {
        const body = { url: `https://${name}.example/`, events: ['document.failed'] }
        const id = (await call('POST', '/v1/webhooks', body)).body.id
        return { WEBHOOK_ID: id, DELIVERY_ID: (await call('POST', `/v1/webhooks/${id}/test`)).body.id }
      }),
    )
    const { body: second } = await call('POST', '/v1/agents', { name: 'Night desk' })
    const ready = await Promise.all(
      samples.map(async ({ name, code }, i) => {
        const parking = { title: 'Parking', content: 'Behind the house.', external_id: `parking-${i}` }
        const { body } = await call('POST', knowledgeBase, parking)
        const golden = { question: 'Do you sell cars?', expects: { nothing: true } }
        const asked = code.includes('$GOLDEN_QUESTION_ID')
          ? await call('POST', `/v1/agents/${agentId}/golden-questions`, golden)
          : undefined
        const hook = hooks[name.startsWith('DELETE') ? 1 : 0]
        const source = code.includes('$SOURCE_ID')
          ? await call('POST', `/v1/agents/${agentId}/sources`, { url: `https://source-${i}.example/` })
          : undefined
        const ids = { GOLDEN_QUESTION_ID: asked?.body.id, SOURCE_ID: source?.body.id }
        const agent = code.includes('confirm=') && { AGENT_ID: second.id }
        return filledIn(code, {
          ...values,
          ...agent,
          ...hook,
          ...ids,
          DOCUMENT_ID: body.id,
          EXTERNAL_ID: `parking-${i}`,
        })
      }),
    )
    await stand.deliver()
    const odd = { title: `It's "5 $"  5 € in {a}`, content: 'Line one\nLine two: `true`, null, $PATH' }
    const last = languages[language]!.write({
      method: 'POST',
      path: '/v1/agents/$AGENT_ID/knowledge-base',
      headers: { 'Idempotency-Key': 'a "quoted" $1  key' },
      body: odd,
    })
    const outputs = await run(language, [...ready, filledIn(last, values)])
    const printed = samples.map(({ name }, i) => ({ name, output: outputs[i] }))
    expect(printed.filter(({ output }) => output === undefined || output.includes('FAILED'))).toEqual([])
    // Only curl prints the bytes of a snapshot.
    const silent = printed
      .filter(({ output, name }) => output === '' && !name.endsWith('/snapshot'))
      .map(({ name }) => name)
    expect([...new Set(silent)].sort()).toEqual([
      'DELETE /v1/agents/$AGENT_ID',
      'DELETE /v1/agents/$AGENT_ID/golden-questions/$GOLDEN_QUESTION_ID',
      'DELETE /v1/agents/$AGENT_ID/knowledge-base/$DOCUMENT_ID',
      'DELETE /v1/agents/$AGENT_ID/knowledge-base/$DOCUMENT_ID/chunks',
      'DELETE /v1/agents/$AGENT_ID/knowledge-base/by-external-id/$EXTERNAL_ID',
      'DELETE /v1/agents/$AGENT_ID/sources/$SOURCE_ID',
      'DELETE /v1/webhooks/$WEBHOOK_ID',
      'POST /v1/agents/$AGENT_ID/knowledge-base/$DOCUMENT_ID/uploaded',
      'POST /v1/agents/$AGENT_ID/knowledge-base/search/prefetch',
    ])
    expect((await call('GET', `${knowledgeBase}?limit=1`)).body.data).toMatchObject([odd])
  },
)

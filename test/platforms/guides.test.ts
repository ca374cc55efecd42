import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway } from '../../infra/local/gateway/gateway.ts'
import { selectRoute } from '../../infra/local/gateway/route.ts'
import { lambdas } from '../../infra/wiring.ts'
import { useStand } from '../support/stand/stand.ts'
import { type Block, blocksOf, platformGuides, requestOf } from '../support/tools/guide-blocks.ts'

const stand = useStand()
const run = promisify(execFile)
const routes: string[] = Object.values(lambdas).flatMap((lambda) => ('routes' in lambda ? lambda.routes : []))
let gateway: Awaited<ReturnType<typeof startGateway>>
let environment: Record<'BASE_URL' | 'AGENT_ID' | 'API_KEY', string>

beforeAll(async () => {
  gateway = await startGateway({ port: 0, routes: stand.functions.routes })
  const { agentId, apiKey, call, knowledgeBase } = await stand.tenant(['kb:read', 'kb:write'])
  await call('POST', knowledgeBase, { title: 'Opening hours', content: 'On Sunday we are closed.' })
  await stand.deliver()
  environment = { BASE_URL: gateway.origin, AGENT_ID: agentId, API_KEY: apiKey }
})
afterAll(() => gateway?.close())

/** True if a Lambda serves the path, rather than the default 404. */
const isServed = (path: string) =>
  selectRoute(routes, path.replace('$AGENT_ID', '0190').split('?')[0]!)?.route !== '$default'

describe.each([...platformGuides])('%s', (_, markdown) => {
  const blocks = blocksOf(markdown)
  const requests = blocks.filter(({ language }) => language === 'http')

  test('says what to paste, what to tell the model, what to expect and how to try it', () => {
    const sections = [...markdown.matchAll(/^## (.+)$/gm)].map(([, title]) => title!)
    expect(sections[0]).toMatch(/^Paste this/)
    expect(sections).toEqual(expect.arrayContaining(['What to expect', 'Try it']))
    expect(markdown).toMatch(/\*\*In (the |`)[^*]*:\*\* “[^”]+”/)
    expect(requests.length).toBeGreaterThan(0)
    for (const { language, text } of blocks) if (language === 'json') expect(() => JSON.parse(text)).not.toThrow()
  })

  for (const request of requests) {
    const { method, path, headers, body } = requestOf(request)
    test.runIf(isServed(path))(`shows a request to ${path.split('/').at(-1)} that is answered as it says`, async () => {
      const response = await fetch(gateway.origin + path.replace('$AGENT_ID', environment.AGENT_ID), {
        method,
        headers: { 'x-api-key': environment.API_KEY, 'content-type': 'application/json', ...headers },
        body,
      })
      const text = await response.text()
      if (path.endsWith('/prefetch'))
        return expect({ status: response.status, text }).toEqual({ status: 202, text: '' })
      expect({ status: response.status, text }).toMatchObject({
        status: 200,
        text: expect.stringContaining('On Sunday we are closed.'),
      })
      const shown = answerTo(request)
      if (shown?.language === 'text') expect(onAnyDay(text)).toBe(onAnyDay(shown.text))
      if (shown?.language === 'json')
        expect(JSON.parse(onAnyDay(text))).toEqual(alike(JSON.parse(onAnyDay(shown.text))))
    })
  }

  for (const { text } of blocks.filter(({ language }) => language === 'sh'))
    test.runIf(isServed(/"\$BASE_URL([^"]+)"/.exec(text)![1]!))('shows a command that finds the passage', async () => {
      const { stdout } = await run('bash', ['-euc', text], { env: { PATH: process.env.PATH, ...environment } })
      expect(stdout).toContain('On Sunday we are closed.')
    })

  /** The block after a request, of the same section. */
  function answerTo(request: Block): Block | undefined {
    const next = blocks[blocks.indexOf(request) + 1]
    return next?.section === request.section ? next : undefined
  }
})

test('the program for Twilio gives the model what it says, turn by turn', async () => {
  const program = blocksOf(platformGuides.get('27-twilio.md')!).find(({ language }) => language === 'js')!
  const turns = `
    const textFor = newCall()
    const said = (voicePrompt, last = true) => textFor({ type: 'prompt', voicePrompt, last })
    const texts = [await textFor({ type: 'setup' }), await said('Are you', false), await said('Are you open on Sunday?')]
    console.log(JSON.stringify([...texts, await said('and then?'), await said('zzyzx qwrtp zymurgy')]))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program.text + turns], {
    env: environment,
  })
  const closed = 'On Sunday we are closed.'
  const unknown = expect.stringContaining('say that you do not know')
  expect(JSON.parse(stdout)).toEqual([null, null, closed, expect.stringContaining(closed), unknown])
})

const onAnyDay = (text: string) => text.replaceAll(/Today is [^.]+\./g, 'Today is …')

/** Matches answers like the shown one, with any ids and numbers. */
function alike(shown: unknown): unknown {
  if (typeof shown === 'number') return expect.any(Number)
  if (typeof shown === 'string')
    return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(shown) ? expect.stringMatching(/^[0-9a-f-]{36}$/) : shown
  if (Array.isArray(shown)) return shown.map(alike)
  return Object.fromEntries(Object.entries(shown as object).map(([name, value]) => [name, alike(value)]))
}

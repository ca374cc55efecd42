import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startGateway } from '../../infra/local/gateway/gateway.ts'
import { useStand } from '../support/stand/stand.ts'
import { blocksOf } from '../support/tools/guide-blocks.ts'

const stand = useStand()
const guide = readFileSync(new URL('../../functions/reference/guides/17-in-a-call.md', import.meta.url), 'utf8')

test('the guide’s script has the conversation that the guide shows', async () => {
  const [script, transcript] = blocksOf(guide).map(({ text }) => text)
  const { agentId, apiKey, call, knowledgeBase } = await stand.tenant()
  const prices = [...new Set([...transcript!.matchAll(/Found: {2}(.+)/g)].map(([, price]) => price!))]
  expect(prices.length).toBe(3)
  for (const content of [...prices, 'Guests park behind the shop, free of charge.'])
    await call('POST', knowledgeBase, { title: 'Rental', content })
  await stand.deliver()
  const gateway = await startGateway({ port: 0, routes: stand.functions.routes })
  const env = { ...process.env, BASE_URL: gateway.origin, AGENT_ID: agentId, API_KEY: apiKey }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script!], { env })
  await gateway.close()
  expect(stdout.trim()).toBe(transcript)
})

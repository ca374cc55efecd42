import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../infra/local/gateway/gateway.ts'
import { keepQuestions } from '../support/documents/asked-questions.ts'
import { known, storeKnown } from '../support/documents/known-documents.ts'
import { useStand } from '../support/stand/stand.ts'
import { blocksOf } from '../support/tools/guide-blocks.ts'
import { isInstalled } from '../support/tools/installed.ts'
import { spawnReplica } from './replica.ts'

const stand = useStand()
const root = join(import.meta.dirname, '../..')
const guide = await readFile(join(root, 'functions/reference/guides/18-in-your-process.md'), 'utf8')

test('the guide’s program in Python asks the replica, which sends its questions when it is told to end', async (context) => {
  context.skip(!isInstalled('python3'), 'needs python3')
  const tenant = await stand.tenant()
  await keepQuestions(stand, tenant)
  await storeKnown(stand, tenant)
  const sent: string[] = []
  const batch = {
    route: '/v1/agents/{agentId}/questions/batch',
    handler: (event: { body?: string }) => Promise.resolve({ statusCode: 202, body: '', sent: sent.push(event.body!) }),
  }
  const gateway = await startGateway({ port: 0, routes: [batch, ...stand.functions.routes] })
  onTestFinished(() => gateway.close())
  const command = [process.execPath, join(root, 'infra/cuecard.mjs')] as const
  const { child, address } = await spawnReplica(gateway.origin, tenant, command)
  const folder = await mkdtemp(join(tmpdir(), 'cuecard-replica-'))
  const program = blocksOf(guide).find(({ language }) => language === 'python')!.text
  await writeFile(join(folder, 'knowledge.py'), program)
  const env = { PATH: process.env.PATH, API_KEY: tenant.apiKey, AGENT_ID: tenant.agentId }
  const ask = async (query: string, REPLICA = new URL(address).host) => {
    const code = `import asyncio, knowledge; print(asyncio.run(knowledge.knowledge_for("${query}", ["Hi"])))`
    const options = { cwd: folder, env: { ...env, REPLICA } }
    return (await promisify(execFile)('python3', ['-c', code], options)).stdout
  }
  expect(await ask('where can guests park')).toMatch(`say that you do not know.\n\n${known.parking[1]}`)
  expect(await ask('zzyzx qwrtp')).toContain('has nothing on this')
  expect(await ask('where can guests park', '127.0.0.1:2')).toContain('cannot be reached')
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
  const questions = sent.flatMap((body) => JSON.parse(body).questions)
  expect(questions.map(({ question }) => question)).toEqual(['where can guests park', 'zzyzx qwrtp'])
})

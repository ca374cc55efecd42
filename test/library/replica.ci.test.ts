import { execFile, spawn } from 'node:child_process'
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
  const env = { ...process.env, BASE_URL: gateway.origin, API_KEY: tenant.apiKey, AGENT_ID: tenant.agentId }
  const args = [join(root, 'infra/cuecard.mjs'), 'replica', '--agent', tenant.agentId, '--port', '0']
  const replica = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void replica.kill('SIGKILL'))
  let printed = ''
  for await (const text of replica.stdout.iterator({ destroyOnReturn: false })) {
    printed += text
    if (printed.includes('Serving')) break
  }
  const folder = await mkdtemp(join(tmpdir(), 'cuecard-replica-'))
  const program = blocksOf(guide).find(({ language }) => language === 'python')!.text
  await writeFile(join(folder, 'knowledge.py'), program)
  const ask = (query: string, more: object) =>
    promisify(execFile)(
      'python3',
      ['-c', `import asyncio, knowledge\nprint(asyncio.run(knowledge.knowledge_for("${query}", ["Hi"])))`],
      {
        cwd: folder,
        env: { ...env, ...more },
      },
    )
  const where = { REPLICA: /http:\/\/(\S+)/.exec(printed)![1]! }
  expect((await ask('where can guests park', where)).stdout).toMatch(`say that you do not know.\n\n${known.parking[1]}`)
  expect((await ask('zzyzx qwrtp', where)).stdout).toContain('has nothing on this')
  expect((await ask('where can guests park', { REPLICA: '127.0.0.1:2' })).stdout).toContain('cannot be reached')
  replica.kill('SIGTERM')
  expect(await once(replica, 'close')).toEqual([0, null])
  const questions = sent.flatMap((body) => JSON.parse(body).questions)
  expect(questions.map(({ question }) => question)).toEqual(['where can guests park', 'zzyzx qwrtp'])
})

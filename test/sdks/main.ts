import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createAgent, createKey, createOrganization } from '../../infra/admin/tenants.ts'
import { startStand } from '../../infra/local/stand.ts'
import { permissions } from '../../shared/http/api-keys.ts'
import { log } from '../../shared/log.ts'
import { copyWithPackages } from '../support/own-packages.ts'

/** Of one command; a machine with nothing else to do takes a tenth of it. */
const secondsAtMost = 300

/** The packages of a client, and the command that generates it, as its users run it. Its program is clients/<name>.ts. */
const clients = {
  'hey-api': {
    packages: ['@hey-api/openapi-ts'],
    generate: 'openapi-ts -i openapi.json -o generated/hey-api --no-log-file',
  },
  'openapi-fetch': {
    packages: ['openapi-typescript', 'openapi-fetch'],
    generate: 'openapi-typescript openapi.json -o generated/openapi-typescript.ts',
  },
  orval: { packages: ['orval', 'zod'], generate: 'orval --config orval.config.mjs' },
  'swagger-typescript-api': {
    packages: ['swagger-typescript-api'],
    generate: 'swagger-typescript-api generate -p openapi.json -o generated -n swagger-typescript-api.ts',
  },
}

if (!process.env.POWERTOOLS_LOG_LEVEL) log.setLogLevel('SILENT')
const source = join(import.meta.dirname, 'clients')
/** Not below node_modules, where tsc takes every file for one of a package, which it neither checks nor compiles. */
const directory = join(import.meta.dirname, '../../.local/sdks')
copyWithPackages(source, directory, console.log)
for (const made of ['generated', 'dist']) await rm(join(directory, made), { recursive: true, force: true })
await cp(join(import.meta.dirname, '../../functions/reference/openapi.json'), join(directory, 'openapi.json'))

const stand = await startStand({ port: 0 })
try {
  const passed = await Promise.all(
    Object.entries(clients).map(([name, { packages, generate }]) =>
      report(packages, async () => {
        await run(generate, { BASE_URL: stand.origin })
        const project = `tsconfig.${name}.json`
        const compilerOptions = { outDir: `dist/${name}` }
        await writeFile(
          join(directory, project),
          JSON.stringify({ extends: './tsconfig.json', compilerOptions, files: [`${name}.ts`] }),
        )
        await run(`tsc -p ${project}`)
        await run(`node dist/${name}/${name}.js`, await connection(stand.origin))
        return 'generated, compiled with tsc --strict, journey done'
      }),
    ),
  )
  passed.push(
    await report(['@stoplight/prism-cli'], async () => {
      await throughPrism(async (origin) => run('node dist/openapi-fetch/openapi-fetch.js', await connection(origin)))
      return 'every request and response of the journey is valid'
    }),
  )
  if (passed.includes(false)) process.exitCode = 1
} finally {
  await stand.close()
}

/** Prints a line about the packages. @returns whether the work was done */
async function report(packages: string[], work: () => Promise<string>): Promise<boolean> {
  const versions = await Promise.all(packages.map(async (name) => `${name} ${await versionOf(name)}`))
  const started = performance.now()
  const [sign, outcome] = await work().then(
    (done) => ['✓', done] as const,
    (error: Error) => ['✗', error.message] as const,
  )
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${sign} ${versions.join(', ')}: ${outcome} (${seconds} s)`)
  return sign === '✓'
}

async function versionOf(name: string): Promise<string> {
  return JSON.parse(await readFile(join(directory, 'node_modules', name, 'package.json'), 'utf8')).version
}

/** What a journey needs to know, with an organization of its own. */
async function connection(origin: string) {
  const organization = await createOrganization(stand.db, 'Test')
  const agent = await createAgent(stand.db, organization.id, 'Agent')
  const { key } = await createKey(stand.db, {
    organizationId: organization.id,
    name: 'test',
    permissions: [...permissions],
  })
  return { BASE_URL: origin, API_KEY: key, AGENT_ID: agent.id }
}

/** @throws Error with what the command printed when it fails */
async function run(command: string, environment: Record<string, string> = {}): Promise<void> {
  const child = start(command, environment)
  const [output, errors, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')])
  if (code !== 0) throw new Error(`${command} failed\n${output}${errors}`)
}

function start(command: string, environment: Record<string, string> = {}): ChildProcess {
  const path = [join(directory, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(delimiter)
  const [program, ...args] = command.split(' ')
  const env = { ...process.env, ...environment, PATH: path }
  return spawn(program!, args, { cwd: directory, env, timeout: 1000 * secondsAtMost })
}

/** A proxy that answers whatever breaks the document, of the caller's or of ours, with an error of its own. */
async function throughPrism(act: (origin: string) => Promise<void>): Promise<void> {
  const prism = start(`prism proxy openapi.json ${stand.origin} --port 0 --errors`)
  const closed = once(prism, 'close')
  try {
    let printed = ''
    const origin = await new Promise<string>((resolve, reject) => {
      prism.stdout!.on('data', (chunk) => {
        printed += chunk
        const [, address] = /listening on (http:\S+)/.exec(printed) ?? []
        if (address) resolve(address)
      })
      closed.then(() => reject(new Error(`prism did not start\n${printed}`)), reject)
    })
    await act(origin).catch((error: Error) => {
      throw new Error(`${error.message}\n${printed.match(/^.*violation.*$/gim)?.join('\n') ?? ''}`)
    })
  } finally {
    prism.kill()
    await closed
  }
}

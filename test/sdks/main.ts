// Generates a client as its users do, and runs it on a stand behind the local gateway.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startStand } from '../../infra/local/stand.ts'
import { log } from '../../shared/telemetry/log.ts'
import { report, run, withForeignPackages } from '../foreign/packages.ts'
import { makeTenant } from '../support/stand/tenant.ts'

if (!process.env.POWERTOOLS_LOG_LEVEL) log.setLogLevel('SILENT')
const directory = withForeignPackages(join(import.meta.dirname, 'clients'), 'sdks')
for (const made of ['generated', 'dist']) await rm(join(directory, made), { recursive: true, force: true })
await cp(join(import.meta.dirname, '../../functions/reference/openapi.json'), join(directory, 'openapi.json'))

const stand = await startStand({ port: 0 })
try {
  await report('the command of functions/reference/README.md, in an empty folder', async () => {
    const page = await readFile(join(import.meta.dirname, '../../functions/reference/README.md'), 'utf8')
    const [command] = /^npx .*openapi-ts.*$/m.exec(page)!
    const cwd = await mkdtemp(join(tmpdir(), 'cuecard-sdk-'))
    await promisify(execFile)('bash', ['-c', command], {
      cwd,
      env: { ...process.env, npm_config_yes: 'true', BASE_URL: stand.origin },
    })
    const made = await readdir(join(cwd, 'src/cuecard'))
    await rm(cwd, { recursive: true })
    return made.join(', ')
  })
  await report(`@hey-api/openapi-ts ${await generatorVersion()}`, async () => {
    const { apiKey, agentId } = await makeTenant(stand.db)
    const environment = { BASE_URL: stand.origin, API_KEY: apiKey, AGENT_ID: agentId }
    for (const command of [
      'openapi-ts -i openapi.json -o generated/hey-api --no-log-file',
      'tsc --outDir dist',
      'node dist/hey-api.js',
    ])
      await run({ directory, command, environment })
    return 'generated, compiled with tsc --strict, journey done'
  })
} finally {
  await stand.close()
}

async function generatorVersion(): Promise<string> {
  const path = join(directory, '../node_modules/@hey-api/openapi-ts/package.json')
  return JSON.parse(await readFile(path, 'utf8')).version
}

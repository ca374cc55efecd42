// Runs generated clients on a stand behind the local gateway, through a proxy that checks requests and responses.
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startStand } from '../../infra/local/stand.ts'
import { log } from '../../shared/log.ts'
import { report, run, withForeignPackages } from '../foreign/packages.ts'
import { makeTenant } from '../support/stand/tenant.ts'

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
}

if (!process.env.POWERTOOLS_LOG_LEVEL) log.setLogLevel('SILENT')
const directory = withForeignPackages(join(import.meta.dirname, 'clients'), 'sdks')
for (const made of ['generated', 'dist']) await rm(join(directory, made), { recursive: true, force: true })
await cp(join(import.meta.dirname, '../../functions/reference/openapi.json'), join(directory, 'openapi.json'))

const stand = await startStand({ port: 0 })
try {
  await Promise.all(
    Object.entries(clients).map(async ([name, { packages, generate }]) =>
      report(await withVersions(packages), async () => {
        await run({ directory, command: generate, environment: { BASE_URL: stand.origin } })
        const project = `tsconfig.${name}.json`
        const compilerOptions = { outDir: `dist/${name}` }
        await writeFile(
          join(directory, project),
          JSON.stringify({ extends: './tsconfig.json', compilerOptions, files: [`${name}.ts`] }),
        )
        await run({ directory, command: `tsc -p ${project}` })
        await goThroughJourney(name)
        return 'generated, compiled with tsc --strict, journey done'
      }),
    ),
  )
} finally {
  await stand.close()
}

async function withVersions(packages: string[]): Promise<string> {
  const versions = packages.map(async (name) => {
    const { version } = JSON.parse(await readFile(join(directory, '../node_modules', name, 'package.json'), 'utf8'))
    return `${name} ${version}`
  })
  return (await Promise.all(versions)).join(', ')
}

/** Runs the compiled client, for an organization of its own. */
async function goThroughJourney(client: string): Promise<void> {
  const { apiKey, agentId } = await makeTenant(stand.db)
  const environment = { BASE_URL: stand.origin, API_KEY: apiKey, AGENT_ID: agentId }
  await run({ directory, command: `node dist/${client}/${client}.js`, environment })
}

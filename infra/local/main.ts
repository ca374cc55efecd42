import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Database } from '../../shared/database/database.ts'
import { log } from '../../shared/log.ts'
import { seedDemo } from './demo.ts'
import { startStand } from './stand.ts'
import { curlLines, tour } from './tour.ts'

const { PORT = '8787', DATA_DIR = '.local', DATABASE_URL } = process.env
if (!process.env.POWERTOOLS_LOG_LEVEL) log.setLogLevel('WARN')

try {
  await main()
} catch (error) {
  console.error(`Could not start Cuecard: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}

async function main() {
  const port = Number(PORT)
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`PORT must be an integer from 0 to 65535, not ${PORT}`)
  const dataDir = resolve(DATA_DIR)
  await mkdir(dataDir, { recursive: true })
  const envFile = join(dataDir, 'env')

  const onLocked = () => rm(envFile, { force: true })
  const stand = await startStand({ dataDir, databaseUrl: DATABASE_URL || undefined, port, onLocked, onStep })
  let isStopping = false
  const stop = async () => {
    if (isStopping) return
    isStopping = true
    console.log('\nShutting down …')
    await rm(envFile, { force: true })
    await stand.close()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)

  const db = new Database({ url: () => stand.database.url, endpoint: stand.database.endpoint, timeoutSeconds: 15 })
  const demo = await seedDemo(db, dataDir)
  const lines = [
    `export BASE_URL=${stand.origin}`,
    `export API_KEY=${demo.apiKey}`,
    `export AGENT_ID=${demo.agentId}`,
    `export ORGANIZATION_ID=${demo.organizationId}`,
  ]
  await writeFile(envFile, `${lines.join('\n')}\n`, { mode: 0o600 })
  console.log(`\nServing ${stand.origin}/v1  (URL and API key: ${envFile})`)

  try {
    await tour(stand.origin, demo)
    console.log(curlLines(envFile))
  } catch (error) {
    // When stopped during the tour, its requests fail.
    if (!isStopping) throw error
  }
}

function onStep(step: string, milliseconds: number) {
  console.log(`${milliseconds.toFixed(0).padStart(6)} ms  ${step}`)
}

import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { config } from '../../shared/config.ts'
import { configuredEmbedder } from '../../shared/embedding/configured-embedder.ts'
import { checkChunkTokens, checkEmbedder, type Embedder } from '../../shared/embedding/embedder.ts'
import { messageOf } from '../error-message.ts'
import { type Demo, markSeeded, seedDemo } from './demo.ts'
import type { SentMail } from './mail.ts'
import type { Settings } from './settings.ts'
import { startStand } from './stand.ts'
import { logForPeople } from './terminal-log.ts'
import { tour } from './tour.ts'

/** The running system cannot continue. The message is one line. */
class Ended extends Error {
  override readonly name = 'Ended'
}

const maxCloseMilliseconds = 5_000

/** Runs the system until the signal. @throws Error on one line if it cannot start; Ended if it cannot continue */
export async function serve(settings: Settings, signal: AbortSignal): Promise<void> {
  const { dataDir, hasSamples } = settings
  const markReported = process.env.POWERTOOLS_LOG_LEVEL ? undefined : logForPeople(console.error)
  const envFile = join(dataDir, 'env')
  const removeEnvFile = () => rm(envFile, { force: true })
  let close = removeEnvFile
  const { promise: ended, reject: end } = Promise.withResolvers<never>()
  // The promise may reject before it is awaited.
  ended.catch(() => {})
  const onPanic = ({ message }: Error) =>
    end(
      new Ended(
        `the embedded database has stopped (${message}). Make room on the disk of ${dataDir} and start again: everything acknowledged is kept`,
      ),
    )
  try {
    const stand = await startStand({ ...settings, onLocked: removeEnvFile, onStep, onMail, onPanic, signal })
    close = async () => {
      await removeEnvFile()
      await stand.close()
    }
    const demo = await seedDemo(stand.db, dataDir)
    const lines = [
      `export BASE_URL=${stand.origin}`,
      `export API_KEY=${demo.apiKey}`,
      `export AGENT_ID=${demo.agentId}`,
      `export ORGANIZATION_ID=${demo.organizationId}`,
      // npx cuecard works on the system in this directory.
      `export DATA_DIR='${resolve(dataDir).replaceAll("'", "'\\''")}'`,
    ]
    await writeFile(envFile, `${lines.join('\n')}\n`, { mode: 0o600 })
    const embedder = configuredEmbedder()
    console.log(banner(stand.origin, demo, envFile, embedder))
    const trouble = await providerTrouble(embedder, signal)
    if (trouble) {
      markReported?.(trouble)
      console.error(`\n${trouble}.\n${untilFixed}`)
    } else if (!embedder.isLocal) {
      const warning = await checkChunkTokens(embedder, config().CHUNK_TOKENS)
      if (warning) console.error(`\nWarning: ${warning}.`)
    }
    if (!hasSamples) await markSeeded(dataDir, demo)
    else if (!demo.hasSamples) {
      const isWaiting = trouble !== undefined
      const shown = tour({ origin: stand.origin, demo, signal, isWaiting, onPosted: () => markSeeded(dataDir, demo) })
      await shown.catch((error) => {
        if (!signal.aborted) console.error(`\nThe tour of the samples ended early: ${messageOf(error)}`)
      })
    }
    if (!signal.aborted) console.log(curlLines(envFile, trouble === undefined))
    if (!signal.aborted) await Promise.race([once(signal, 'abort'), ended])
  } catch (error) {
    // Current work may fail after the signal.
    if (!signal.aborted) throw error
  } finally {
    // Without the delay, requests that wait for a lost database would never end.
    await Promise.race([close(), delay(maxCloseMilliseconds)])
  }
}

function onStep(step: string, milliseconds: number) {
  console.log(`${milliseconds.toFixed(0).padStart(6)} ms  ${step}`)
}

function onMail({ to, subject, text }: SentMail) {
  console.log(`\nMail to ${to.join(', ')}: ${subject}\n\n${text.replaceAll(/^(?=.)/gm, '  ')}\n`)
}

function banner(origin: string, demo: Demo, envFile: string, embedder: Embedder): string {
  return `
Serving ${origin}/v1

  dashboard  ${origin}/dashboard (sign in with the API key below)
  reference  ${origin}/v1/docs
  embedder   ${describe(embedder)}
  agent      ${demo.agentId}
  API key    ${demo.apiKey}
             address, agent and key are in ${envFile}`
}

function describe({ isLocal, model }: Embedder): string {
  if (!isLocal) return `${model} at ${config().EMBEDDING_BASE_URL}`
  return model.startsWith('lexical')
    ? 'built in, lexical: finds words, not meaning (unset EMBEDDING_MODEL for meaning)'
    : 'built in: finds words and, in English, meaning (for other languages set EMBEDDING_BASE_URL)'
}

const maxProbeMilliseconds = 4_000

/** Asks the provider for one vector. @returns a fault without a full stop, or undefined */
async function providerTrouble(embedder: Embedder, signal: AbortSignal): Promise<string | undefined> {
  if (embedder.isLocal) return undefined
  const late = `The embedding provider has not answered in ${maxProbeMilliseconds / 1000} s`
  const fault = await Promise.race([checkEmbedder(embedder), delay(maxProbeMilliseconds, late, { signal })])
  return fault || undefined
}

const untilFixed =
  'Until that is fixed, new documents wait and cannot be found, and searches match words only: see EMBEDDING_BASE_URL, EMBEDDING_MODEL and EMBEDDING_API_KEY.'

/** @param isFoundAtOnce true if an immediate search finds the document */
function curlLines(envFile: string, isFoundAtOnce: boolean): string {
  const search = `
  curl -s "$BASE_URL/v1/agents/$AGENT_ID/knowledge-base/search" -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json' \\
    -d '{"query": "Where can I park?", "limit": 1}'`
  return `
Add a document of your own:

  source ${envFile}
  curl -s "$BASE_URL/v1/agents/$AGENT_ID/knowledge-base" -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json' \\
    -d '{"title": "Parking", "content": "Guests park free of charge behind the house. The gate code is 4711."}'${isFoundAtOnce ? search : ''}

Press Ctrl-C to stop. The data is kept for the next start.`
}

import { setTimeout as delay } from 'node:timers/promises'
import { config } from '../../shared/config.ts'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import { checkEmbedder } from '../../shared/embedding/embedder.ts'
import type { Demo } from './demo.ts'

export function banner(origin: string, demo: Demo, envFile: string, embedder: Embedder): string {
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
  return isLocal
    ? 'built in, lexical: finds words, not meaning (for meaning set EMBEDDING_BASE_URL)'
    : `${model} at ${config().EMBEDDING_BASE_URL}`
}

const maxProbeMilliseconds = 4_000

/** Asks the provider for one vector. @returns what is wrong, if anything is, without a full stop */
export async function providerTrouble(embedder: Embedder, signal: AbortSignal): Promise<string | undefined> {
  if (embedder.isLocal) return undefined
  const late = `The embedding provider has not answered in ${maxProbeMilliseconds / 1000} s`
  const fault = await Promise.race([checkEmbedder(embedder), delay(maxProbeMilliseconds, late, { signal })])
  return fault || undefined
}

export const untilFixed =
  'Until that is fixed, new documents wait and cannot be found, and searches match words only: see EMBEDDING_BASE_URL, EMBEDDING_MODEL and EMBEDDING_API_KEY.'

/** @param isFoundAtOnce whether a search right after finds the document */
export function curlLines(envFile: string, isFoundAtOnce: boolean): string {
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

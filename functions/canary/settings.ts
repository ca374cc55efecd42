import * as v from 'valibot'
import { secret } from '../../shared/secrets.ts'

const environment = v.object({
  BASE_URL: v.pipe(v.string(), v.url()),
  CANARY_SECRET: v.optional(v.string()),
  /** In place of the secret, on a machine of one's own. */
  API_KEY: v.optional(v.string()),
  /** What `limit-heap.sh` limits the heap to. */
  MAX_HEAP_MB: v.optional(v.pipe(v.string(), v.toNumber())),
})

/** Read by each run, as is the secret: so a new key needs no restart, and a missing setting is a run that fails. @throws Error */
export function settings(env: NodeJS.ProcessEnv = process.env) {
  const { BASE_URL, CANARY_SECRET, API_KEY, MAX_HEAP_MB: maxHeapMb } = v.parse(environment, env)
  return { baseUrl: BASE_URL, apiKey: () => secret({ value: API_KEY, id: CANARY_SECRET })(), maxHeapMb }
}

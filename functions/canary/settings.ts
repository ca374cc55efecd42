import * as v from 'valibot'
import { secret } from '../../shared/secrets.ts'

const environment = v.object({
  BASE_URL: v.pipe(v.string(), v.url()),
  CANARY_SECRET: v.optional(v.string()),
  /** Replaces the secret on a developer's machine. */
  API_KEY: v.optional(v.string()),
  AWS_REGION: v.optional(v.string()),
  /** Replaces the addresses of AWS. */
  AWS_ENDPOINT_URL: v.optional(v.string()),
  /** The heap limit that `limit-heap.sh` sets. */
  MAX_HEAP_MB: v.optional(v.pipe(v.string(), v.toNumber())),
})

/** Each run reads the settings and the secret: a new key needs no restart, and a missing setting fails the run. @throws Error */
export function settings(env: NodeJS.ProcessEnv = process.env) {
  const { BASE_URL, CANARY_SECRET, API_KEY, MAX_HEAP_MB: maxHeapMb, ...aws } = v.parse(environment, env)
  const addressOf = (service: string) => aws.AWS_ENDPOINT_URL ?? `https://${service}.${aws.AWS_REGION}.amazonaws.com`
  return { baseUrl: BASE_URL, apiKey: () => secret({ value: API_KEY, id: CANARY_SECRET })(), maxHeapMb, addressOf }
}

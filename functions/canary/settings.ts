import * as v from 'valibot'
import { secret } from '../../shared/aws/secrets.ts'

const environment = v.object({
  BASE_URL: v.pipe(v.string(), v.url()),
  CANARY_SECRET: v.optional(v.string()),
  /** Replaces the secret on a developer's machine. */
  API_KEY: v.optional(v.string()),
  /** The versions that a hook tries. */
  NEW_VERSIONS: v.optional(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())), '{}'),
  AWS_REGION: v.optional(v.string()),
  /** Replaces the addresses of AWS. */
  AWS_ENDPOINT_URL: v.optional(v.string()),
  /** The heap limit that `limit-heap.sh` sets. */
  MAX_HEAP_MB: v.optional(v.pipe(v.string(), v.toNumber())),
})

/** Each run reads the settings and the secret: a new key needs no restart, and a missing setting fails the run. @throws Error */
export function settings(env: NodeJS.ProcessEnv = process.env) {
  const { BASE_URL, MAX_HEAP_MB, NEW_VERSIONS, ...own } = v.parse(environment, env)
  const apiKey = () => secret({ value: own.API_KEY, id: own.CANARY_SECRET })()
  const addressOf = (service: string) => own.AWS_ENDPOINT_URL ?? `https://${service}.${own.AWS_REGION}.amazonaws.com`
  return { baseUrl: BASE_URL, apiKey, maxHeapMb: MAX_HEAP_MB, versions: NEW_VERSIONS, addressOf }
}

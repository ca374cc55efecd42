import { config, required } from '../config.ts'
import { beginEarly } from '../loading.ts'
import { Unavailable } from '../unavailable.ts'
import { callAws } from './json-call.ts'

/** Fetches a secret once per instance, and again after its value was rejected, since it may have been rotated. @throws Unavailable */
export function secret({ value, id }: { value?: string | undefined; id?: string | undefined }) {
  let known: Promise<string> | undefined
  const fetchOnce = (from: string) => {
    known = fetchSecret(from).catch((error) => {
      known = undefined
      throw new Unavailable('secrets_manager', error)
    })
    return known
  }
  const early = value === undefined && id ? fetchOnce(id) : undefined
  if (early) beginEarly(early)
  return async (rejected?: string): Promise<string> => {
    if (value !== undefined) return value
    if (!id) throw new Error('Neither a secret nor the name of one is configured')
    await early?.catch(() => {})
    const before = known
    if (before && (await before) !== rejected) return before
    if (known && known !== before) return known
    return fetchOnce(id)
  }
}

const fetchSeconds = 5

async function fetchSecret(id: string): Promise<string> {
  const value = await storedValue(id)
  if (!value) throw new Error(`The secret ${id} is missing or empty`)
  return value
}

/** @returns undefined for a secret that is missing or empty */
export async function storedValue(id: string): Promise<string | undefined> {
  const found = (await callSecretsManager('GetSecretValue', { SecretId: id }).catch((refusal) => {
    if (refusal.name !== 'ResourceNotFoundException') throw refusal
  })) as { SecretString?: string } | undefined
  return found?.SecretString?.trim() || undefined
}

/** @throws Error whose name is AWS's code */
export async function callSecretsManager(operation: string, input: object): Promise<unknown> {
  const { AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint } = config()
  return await callAws({
    service: 'secretsmanager',
    url: endpoint ?? `https://secretsmanager.${required('AWS_REGION')}.amazonaws.com`,
    target: `secretsmanager.${operation}`,
    version: '1.1',
    input,
    signal: AbortSignal.timeout(fetchSeconds * 1000),
  })
}

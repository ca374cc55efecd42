import { callAws } from './aws/json-call.ts'
import { config, required } from './config.ts'
import { beginEarly } from './loading.ts'
import { Unavailable } from './unavailable.ts'

/** Fetched once per instance; again, for all callers, once a value was rejected, as it may have been rotated. @throws Unavailable */
export function secret({ value, arn }: { value?: string | undefined; arn?: string | undefined }) {
  let known: Promise<string> | undefined
  const fetchOnce = (from: string) => {
    known = fetchSecret(from).catch((error) => {
      known = undefined
      throw new Unavailable('secrets_manager', error)
    })
    return known
  }
  const early = value === undefined && arn ? fetchOnce(arn) : undefined
  if (early) beginEarly(early)
  return async (rejected?: string): Promise<string> => {
    if (value !== undefined) return value
    if (!arn) throw new Error('Neither a secret nor the ARN of one is configured')
    await early?.catch(() => {})
    const before = known
    if (before && (await before) !== rejected) return before
    if (known && known !== before) return known
    return fetchOnce(arn)
  }
}

const fetchSeconds = 5

async function fetchSecret(arn: string): Promise<string> {
  const { AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint } = config()
  const { SecretString } = (await callAws({
    service: 'secretsmanager',
    url: endpoint ?? `https://secretsmanager.${required('AWS_REGION')}.amazonaws.com`,
    target: 'secretsmanager.GetSecretValue',
    version: '1.1',
    input: { SecretId: arn },
    signal: AbortSignal.timeout(fetchSeconds * 1000),
  })) as { SecretString?: string }
  const value = SecretString?.trim()
  if (!value) throw new Error(`The secret ${arn} is empty`)
  return value
}

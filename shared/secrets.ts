import { Unavailable } from './http/errors.ts'

/**
 * Makes a function that returns a secret: the `value` itself, or that of `arn` in Secrets Manager, fetched once per instance.
 * Called with a value that was rejected it fetches again, once for all concurrent callers, in case the secret was rotated.
 * The function throws `Unavailable` when Secrets Manager returns no value.
 */
export function secret({ value, arn }: { value?: string | undefined; arn?: string | undefined }) {
  let known: Promise<string> | undefined
  return async (rejected?: string): Promise<string> => {
    if (value !== undefined) return value
    if (!arn) throw new Error('Neither a secret nor the ARN of one is configured')
    const before = known
    if (before && (await before) !== rejected) return before
    if (known && known !== before) return known
    known = fetchSecret(arn).catch((error) => {
      known = undefined
      throw new Unavailable('secrets_manager', error)
    })
    return known
  }
}

const fetchSeconds = 5

async function fetchSecret(arn: string): Promise<string> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager')
  const { SecretString } = await new SecretsManagerClient().send(new GetSecretValueCommand({ SecretId: arn }), {
    abortSignal: AbortSignal.timeout(fetchSeconds * 1000),
  })
  // Entered by hand, so it may end in a line break.
  const value = SecretString?.trim()
  if (!value) throw new Error(`The secret ${arn} is empty`)
  return value
}

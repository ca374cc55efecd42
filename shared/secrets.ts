import { Unavailable } from './http/errors.ts'

/**
 * A secret given in the environment, or kept in Secrets Manager and then fetched once an instance. Called with the value that
 * was refused it gives another, if the secret has been rotated: fetched anew, once for all who were refused at the same time.
 * @throws Unavailable when Secrets Manager does not give a value
 */
export function secret({ value, arn }: { value?: string | undefined; arn?: string | undefined }) {
  let known: Promise<string> | undefined
  return async (refused?: string): Promise<string> => {
    if (value !== undefined) return value
    if (!arn) throw new Error('Neither a secret nor the ARN of one is configured')
    const before = known
    if (before && (await before) !== refused) return before
    if (known && known !== before) return known
    known = fetchSecret(arn).catch((error) => {
      known = undefined
      throw new Unavailable('secrets_manager', error)
    })
    return known
  }
}

/** The longest that a fetch may take, its retries included. */
const fetchSeconds = 5

async function fetchSecret(arn: string): Promise<string> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager')
  const { SecretString } = await new SecretsManagerClient().send(new GetSecretValueCommand({ SecretId: arn }), {
    abortSignal: AbortSignal.timeout(fetchSeconds * 1000),
  })
  // Put in by hand, so it may end in a line break.
  const value = SecretString?.trim()
  if (!value) throw new Error(`The secret ${arn} is empty`)
  return value
}

/**
 * A secret given in the environment, or kept in Secrets Manager and then fetched once an instance. Called with
 * `refused`, it fetches anew: the value given before was not accepted, so it has been rotated.
 */
export function secret({ value, arn }: { value?: string | undefined; arn?: string | undefined }) {
  let fetched: Promise<string> | undefined
  return (refused = false): string | Promise<string> => {
    if (value !== undefined) return value
    if (!arn) throw new Error('Neither a secret nor the ARN of one is configured')
    if (refused || !fetched) {
      fetched = fetchSecret(arn)
      fetched.catch(() => {
        fetched = undefined
      })
    }
    return fetched
  }
}

async function fetchSecret(arn: string): Promise<string> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager')
  const { SecretString } = await new SecretsManagerClient().send(new GetSecretValueCommand({ SecretId: arn }))
  if (!SecretString) throw new Error(`The secret ${arn} is empty`)
  return SecretString
}

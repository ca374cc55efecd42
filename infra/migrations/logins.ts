import { callSecretsManager } from '../../shared/secrets.ts'
import { checkLogin, checkOwner } from '../stage/checks/database.ts'
import { attempt, error, type Finding } from '../stage/checks/finding.ts'
import { type LoginContext, renewLogin, requireWorkingLogin } from '../stage/logins.ts'
import type { DatabaseUser } from '../wiring.ts'

type SecretIds = Record<string, string>

/** Makes the login of each Lambda whose secret is empty, as that of a Lambda that a release adds. @returns those Lambdas */
export async function makeMissingLogins(
  context: LoginContext,
  ownerUrl: string,
  secretIds: SecretIds,
): Promise<string[]> {
  const made: string[] = []
  for (const [lambda, SecretId] of Object.entries(secretIds) as [DatabaseUser, string][]) {
    if ((await storedValue(SecretId)) !== undefined) continue
    const url = await renewLogin(context.database(ownerUrl), ownerUrl, lambda, 1)
    await requireWorkingLogin(context, lambda, url)
    await callSecretsManager('PutSecretValue', { SecretId, SecretString: url })
    made.push(lambda)
  }
  return made
}

/** Checks what only somebody with these secrets can: the owner and each Lambda's login. */
export async function checkLogins(
  { database }: LoginContext,
  ownerUrl: string,
  secretIds: SecretIds,
): Promise<Finding[]> {
  const logins = Object.entries(secretIds).map(async ([lambda, id]) => {
    const subject = `database-${lambda}`
    return await attempt(subject, async () => {
      const url = await storedValue(id)
      return url
        ? await checkLogin(subject, url, database)
        : [error(subject, `the secret ${id} is empty: npm run stage -- create`)]
    })
  })
  return (await Promise.all([attempt('database-owner', () => checkOwner(ownerUrl, database)), ...logins])).flat()
}

async function storedValue(SecretId: string): Promise<string | undefined> {
  const found = (await callSecretsManager('GetSecretValue', { SecretId }).catch((refusal) => {
    if (refusal.name !== 'ResourceNotFoundException') throw refusal
  })) as { SecretString?: string } | undefined
  return found?.SecretString?.trim() || undefined
}

import { setTimeout as sleep } from 'node:timers/promises'
import { callSecretsManager, secret, storedValue } from '../../shared/aws/secrets.ts'
import { config } from '../../shared/config.ts'
import { Database } from '../../shared/database/database.ts'
import { log } from '../../shared/telemetry/log.ts'
import { judgeAll } from '../stage/checks/check.ts'
import { checkOwner } from '../stage/checks/database.ts'
import { loginChecks } from '../stage/checks/logins.ts'
import { computeOf } from '../stage/checks/neon.ts'
import { migrateAt } from './migrate.ts'

const { DATABASE_SECRET, DATABASE_URL, DATABASE_ENDPOINT: endpoint, LOGIN_SECRETS } = config()

const idOf = (name: string) => LOGIN_SECRETS[name.replace('database-', '')]!

const context = {
  database: (url: string) => new Database({ url: () => url, endpoint, timeoutSeconds: 30 }),
  pause: sleep,
  secrets: {
    async read(name: string) {
      const value = await storedValue(idOf(name))
      return { value, fault: value ? undefined : `the secret ${idOf(name)} is empty: npm run stage -- create` }
    },
    async write(name: string, value: string) {
      await callSecretsManager('PutSecretValue', { SecretId: idOf(name), SecretString: value })
    },
  },
}

/**
 * Migrates, and makes the login of each Lambda whose secret is empty, such as one that a release adds.
 * @returns the applied steps and the made logins; with `check`, which changes nothing, findings about the owner and the logins, and the compute
 */
export async function handler(event?: { check?: true }) {
  const ownerUrl = await secret({ value: DATABASE_URL, id: DATABASE_SECRET })()
  const logins = loginChecks(context, ownerUrl)
  if (event?.check) {
    const owner = { subject: 'database-owner', judge: () => checkOwner(ownerUrl, context.database) }
    return { findings: await judgeAll([owner, ...logins]), compute: await computeOf(context.database(ownerUrl)) }
  }
  const applied = await migrateAt(ownerUrl)
  const made: string[] = []
  for (const { lambda, subject, repair } of logins) {
    if ((await context.secrets.read(subject)).value) continue
    await repair.run()
    made.push(lambda)
  }
  log.info('migrated', { applied, made })
  return { applied, made }
}

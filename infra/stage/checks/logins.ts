import { isPostgresUrl } from '../../postgres-url.ts'
import { type DatabaseUser, databaseUsers } from '../../wiring.ts'
import type { StoredSecret } from '../aws.ts'
import { isSameDatabase, type LoginContext, makeLogin, slotOf } from '../logins.ts'
import { error } from './check.ts'
import { checkLogin } from './database.ts'

interface SecretsContext extends LoginContext {
  secrets: {
    read(name: `database-${DatabaseUser}`): Promise<StoredSecret>
    write(name: `database-${DatabaseUser}`, value: string): Promise<void>
  }
}

/** Checks for the logins of all Lambdas. */
export function loginChecks(context: SecretsContext, ownerUrl: string) {
  const { secrets, database } = context
  return databaseUsers.map((lambda) => {
    const subject = `database-${lambda}` as const
    return {
      lambda,
      subject,
      async judge() {
        const { value = '', fault } = await secrets.read(subject)
        if (fault) return [error(subject, fault)]
        if (!isPostgresUrl(value)) return [error(subject, 'is not a postgresql:// URL')]
        if (!isSameDatabase(ownerUrl, value)) return [error(subject, 'names a different database from the owner’s')]
        return await checkLogin(subject, value, database)
      },
      repair: {
        what: 'a login with a new password',
        async run() {
          // Keeps the slot that the secret names, because a Lambda may still use the other.
          const slot = slotOf(lambda, (await secrets.read(subject)).value) ?? 1
          await secrets.write(subject, await makeLogin(context, ownerUrl, lambda, slot))
        },
      },
    }
  })
}

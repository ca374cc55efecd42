import { Client, type Pool } from 'pg'
import { databaseUsers } from '../../../infra/wiring.ts'

/** The Lambdas' logins belong to a whole server, so files that make them take turns. @returns a function that ends the turn */
export async function lockLogins(server: string | undefined, pool: Pool): Promise<() => Promise<void>> {
  const lock = server === undefined ? undefined : new Client({ connectionString: server })
  await lock?.connect()
  await lock?.query('select pg_advisory_lock(5001)')
  return async () => {
    await dropLogins(pool)
    await lock?.end()
  }
}

export async function dropLogins(pool: Pool): Promise<void> {
  const names = databaseUsers.flatMap((lambda) => [1, 2].map((slot) => `cuecard_${lambda}_${slot}`))
  await pool.query(`drop role if exists ${names.join(', ')}`)
}

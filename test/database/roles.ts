import { sql } from 'kysely'
import { urlOfRole } from '../../infra/postgres-url.ts'
import { databaseUsers } from '../../infra/wiring.ts'
import { Database } from '../../shared/database/database.ts'

export const roles = databaseUsers.map((name) => `cuecard_${name}`)

/** The database as a Lambda under that role reaches it. */
export function as(role: string, timeoutSeconds = 15): Database {
  const url = urlOfRole(process.env.DATABASE_URL!, role)
  return new Database({ url: () => url, timeoutSeconds })
}

/** The functions of the schema, without those of extensions. */
export const ownFunctions = sql`select * from pg_proc where pronamespace = 'public'::regnamespace
  and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')`

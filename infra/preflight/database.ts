import { sql } from 'kysely'
import { Database } from '../../shared/database/database.ts'
import { migrationNames } from '../migrations/migrate.ts'
import { neonHostOf } from '../neon-host.ts'
import { error, type Finding, ok, warning } from './finding.ts'

interface Login {
  name: string
  is_super: boolean
  bypasses: boolean
  makes_temporary: boolean
  roles: string[]
  statement_timeout: string | null
}

/** The connection's login, the roles whose rights it inherits, and its own settings. */
const ownLogin = sql<Login>`
  select rolname as name, rolsuper as is_super, rolbypassrls as bypasses,
    has_database_privilege(current_database(), 'temporary') as makes_temporary,
    array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid
      where m.member = r.oid and m.inherit_option order by 1) as roles,
    (select split_part(setting, '=', 2) from pg_db_role_setting s, unnest(setconfig) setting
      where setrole = r.oid and setdatabase in (0, (select oid from pg_database where datname = current_database()))
        and setting ~ '^statement_timeout=[^0]' limit 1) as statement_timeout
  from pg_roles r where rolname = current_user`

const minServerVersion = 170_000
const minVectorVersion = [0, 8]

/** Checks that a Lambda's login works and may do no more than its role. @throws Error when it does not */
export async function checkLogin(secret: string, url: string, endpoint?: string): Promise<Finding[]> {
  const lambda = secret.replace('database-', '')
  const [login] = (await ownLogin.execute(connect(url, endpoint))).rows
  const { name, is_super, bypasses, makes_temporary, roles, statement_timeout } = login!
  const role = `cuecard_${lambda}`
  const host = neonHostOf(url)
  const faults = [
    is_super && error(secret, `${name} is a superuser`),
    bypasses && error(secret, `${name} bypasses row-level security: make logins in SQL, not in Neon’s console`),
    makes_temporary && error(secret, `${name} may make temporary tables: migrate as the database’s owner`),
    roles.join() !== role &&
      error(secret, `${name} must be a member of ${role} only; it is a member of ${roles.join(', ') || 'no role'}`),
    !statement_timeout && warning(secret, `${name} has no statement_timeout`),
    host === 'direct' && warning(secret, 'names Neon’s direct host: Lambdas use the pooled one'),
  ].filter((fault) => fault !== false)
  const summary = [name, statement_timeout && `statement_timeout ${statement_timeout}`, host && `${host} host`]
  return faults.length > 0 ? faults : [ok(secret, summary.filter(Boolean).join(', '))]
}

/** Checks the server and the schema as their owner. @throws Error when the login does not work */
export async function checkOwner(url: string, endpoint?: string): Promise<Finding[]> {
  const { server, vector, table } = await connect(url, endpoint).batch({
    server: sql<{ version: number; name: string }>`
      select current_setting('server_version_num')::int as version, current_user as name`,
    vector: sql<{ version: string; is_installed: boolean }>`
      select coalesce(installed_version, default_version) as version, installed_version is not null as is_installed
      from pg_available_extensions where name = 'vector'`,
    table: sql<{ name: string | null }>`select to_regclass('schema_migrations')::text as name`,
  })
  return [
    neonHostOf(url) === 'pooled'
      ? error('database-owner', 'names Neon’s pooled host: migrations need the direct one')
      : ok('database-owner', server[0]!.name),
    server[0]!.version >= minServerVersion
      ? ok('PostgreSQL', `${Math.floor(server[0]!.version / 10_000)}`)
      : error('PostgreSQL', `${Math.floor(server[0]!.version / 10_000)}, but 17 or later is needed`),
    checkVector(vector[0]),
    await checkMigrations(connect(url, endpoint), table[0]!.name !== null),
  ]
}

function checkVector(found: { version: string; is_installed: boolean } | undefined): Finding {
  if (!found) return error('pgvector', 'the server does not have it')
  const [major, minor] = found.version.split('.').map(Number)
  const isNew = major! > minVectorVersion[0]! || (major === minVectorVersion[0] && minor! >= minVectorVersion[1]!)
  if (!isNew) return error('pgvector', `${found.version}, but ${minVectorVersion.join('.')} or later is needed`)
  return ok('pgvector', found.is_installed ? found.version : `${found.version}, which the migrations install`)
}

async function checkMigrations(db: Database, hasTable: boolean): Promise<Finding> {
  const { rows } = hasTable ? await sql<{ name: string }>`select name from schema_migrations`.execute(db) : { rows: [] }
  const applied = new Set(rows.map(({ name }) => name))
  if (applied.size === 0)
    return error(
      'migrations',
      'none is applied, so there are no roles for the logins: DATABASE_URL=$OWNER_URL npm run migrate',
    )
  const pending = migrationNames.filter((name) => !applied.has(name))
  if (pending.length > 0) return ok('migrations', `the deploy applies ${pending.join(', ')}`)
  return ok('migrations', 'none is pending')
}

function connect(url: string, endpoint: string | undefined): Database {
  return new Database({ url: () => url, endpoint, timeoutSeconds: 15 })
}

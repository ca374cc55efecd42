import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'
import { neonHostOf } from '../../neon-host.ts'
import { isPostgresUrl } from '../../postgres-url.ts'
import { error, type Finding, ok, warning } from './check.ts'

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

interface Server {
  version: number
  name: string
  makes_roles: boolean
  owns: boolean
}

type Connect = (url: string) => Database

const minServerVersion = 170_000
const minVectorVersion = [0, 8]

/** Checks that a Lambda's login works and has only the rights of its role. @throws Error if it does not work */
export async function checkLogin(secret: string, url: string, connect: Connect): Promise<Finding[]> {
  const lambda = secret.replace('database-', '')
  const [login] = (await ownLogin.execute(connect(url))).rows
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

/** Checks the server and its owner's rights. @throws Error if the login does not work */
export async function checkOwner(url: string, connect: Connect): Promise<Finding[]> {
  if (!isPostgresUrl(url)) return [error('database-owner', 'is not a postgresql:// URL')]
  if (neonHostOf(url) === 'pooled')
    return [error('database-owner', 'names Neon’s pooled host: migrations need the direct one, without -pooler')]
  const { server, vector } = await connect(url).batch({
    server: sql<Server>`
      select current_setting('server_version_num')::int as version, current_user as name,
        r.rolcreaterole or r.rolsuper as makes_roles, pg_has_role(d.datdba, 'member') as owns
      from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database()`,
    vector: sql<{ version: string; is_installed: boolean }>`
      select coalesce(installed_version, default_version) as version, installed_version is not null as is_installed
      from pg_available_extensions where name = 'vector'`,
  })
  const { version, name, makes_roles, owns } = server[0]!
  const major = `${Math.floor(version / 10_000)}`
  return [
    makes_roles && owns
      ? ok('database-owner', name)
      : error('database-owner', `${name} ${owns ? 'may not create roles' : 'does not own the database'}`),
    version >= minServerVersion ? ok('PostgreSQL', major) : error('PostgreSQL', `${major}, but 17 or later is needed`),
    checkVector(vector[0]),
  ]
}

function checkVector(found: { version: string; is_installed: boolean } | undefined): Finding {
  if (!found) return error('pgvector', 'the server does not have it')
  const [major, minor] = found.version.split('.').map(Number)
  const isNew = major! > minVectorVersion[0]! || (major === minVectorVersion[0] && minor! >= minVectorVersion[1]!)
  if (!isNew) return error('pgvector', `${found.version}, but ${minVectorVersion.join('.')} or later is needed`)
  return ok('pgvector', found.is_installed ? found.version : `${found.version}, which the migrations install`)
}

/** The names of the recorded migrations. */
export async function appliedMigrations(db: Database): Promise<ReadonlySet<string>> {
  const table = await sql<{ name: string | null }>`select to_regclass('schema_migrations')::text as name`.execute(db)
  if (table.rows[0]!.name === null) return new Set()
  const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

import { join } from 'node:path'
import { withClient } from '../postgres-client.ts'
import { runProgram, startProgram } from '../run-program.ts'

/** Runs a PostgreSQL program, from the directory `PG_BIN` or the path, on a database. */
export function postgresProgram(name: 'pg_dump' | 'pg_restore', url: string, env: NodeJS.ProcessEnv = process.env) {
  const file = env.PG_BIN ? join(env.PG_BIN, name) : name
  const settings = { ...env, ...connectionSettings(url) }
  return {
    start: (args: readonly string[]) => startProgram(file, args, settings),
    run: (args: readonly string[]) => runProgram(file, args, settings),
  }
}

/** @throws Error if pg_dump or pg_restore is missing, or older than the server */
export async function requirePostgresPrograms(url: string, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const { rows } = await withClient(url, (client) =>
    client.query(`select current_setting('server_version_num')::int v`),
  )
  const server = Math.floor(rows[0].v / 10_000)
  for (const name of ['pg_dump', 'pg_restore'] as const) {
    const version = Number(/\d+/.exec(await postgresProgram(name, url, env).run(['--version']))?.[0])
    if (version >= server) continue
    throw new Error(
      `${name} is version ${version}, and the server is version ${server}: set PG_BIN to a newer directory`,
    )
  }
}

/** The connection as environment variables, because every user of the machine can read arguments. */
function connectionSettings(url: string): NodeJS.ProcessEnv {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  return {
    PGHOST: hostname,
    PGPORT: port || '5432',
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGSSLMODE: searchParams.get('sslmode') ?? undefined,
    PGCHANNELBINDING: searchParams.get('channel_binding') ?? undefined,
  }
}

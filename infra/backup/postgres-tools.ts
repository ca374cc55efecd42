import { join } from 'node:path'
import { output } from './child.ts'

export interface PostgresTools {
  pgDump: string
  pgRestore: string
}

/**
 * PostgreSQL's own programs: in the directory `PG_BIN`, or on the path.
 * @param serverVersion as in `server_version_num`, 170011
 * @throws Error when they are missing, or older than the server
 */
export async function postgresTools(serverVersion: number, env: NodeJS.ProcessEnv): Promise<PostgresTools> {
  const pathOf = (name: string) => (env.PG_BIN ? join(env.PG_BIN, name) : name)
  const tools = { pgDump: pathOf('pg_dump'), pgRestore: pathOf('pg_restore') }
  const needed = Math.floor(serverVersion / 10_000)
  for (const file of [tools.pgDump, tools.pgRestore]) {
    const version = await output(file, ['--version'])
    const major = Number(/\d+/.exec(version)?.[0])
    if (major < needed)
      throw new Error(
        `${file} is of PostgreSQL ${major} and the server of ${needed}: set PG_BIN to the directory of a newer one`,
      )
  }
  return tools
}

/** For libpq: on the command line everybody could read the password. */
export function connectionEnvironment(url: string, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const given = {
    PGHOST: hostname,
    PGPORT: port || '5432',
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGSSLMODE: searchParams.get('sslmode') ?? undefined,
    PGCHANNELBINDING: searchParams.get('channel_binding') ?? undefined,
  }
  return { ...env, ...given }
}

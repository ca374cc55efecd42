import { Client, type ClientBase, Connection, DatabaseError, type Pool } from 'pg'

export interface Login {
  user: string
  password: string
  database: string
}

/** A session that serves one request at a time. */
export interface Session {
  client: ClientBase
  /** Ends the current statement, like a `CancelRequest`. */
  cancel(): void
  /** Resets the session for another request of its login, or closes it. */
  release(isDiscarded: boolean): void
}

export interface Sessions {
  /** @throws DatabaseError if the server rejects the login */
  open(login: Login): Promise<Session>
  close(): Promise<void>
}

/** client.rs, reset_session_background. The plans of functions stay. */
const resetTo = (
  user: string,
) => `rollback; close all; set session authorization ${user}; reset all; deallocate all; unlisten *;
  select pg_advisory_unlock_all(); discard temp; discard sequences`

/** Limits per endpoint, for all logins together: proxy.rs, sql_over_http_pool_max_conns_per_endpoint and sql_over_http_idle_timeout. */
const maxIdle = 20
const maxIdleMilliseconds = 300_000

interface Idle {
  key: string
  client: Client
  isReset: Promise<unknown>
  expiry: NodeJS.Timeout
}

/** The logins' own sessions, the newest idle one first (conn_pool_lib.rs). A released session is closed if `maxIdle` are idle. */
export function serverSessions(serverUrl: string): Sessions {
  const idle: Idle[] = []
  const take = (isWanted: (entry: Idle) => boolean) => {
    const entry = idle.findLast(isWanted)
    if (entry) idle.splice(idle.indexOf(entry), 1)
    clearTimeout(entry?.expiry)
    return entry
  }
  const end = (client: Client) => {
    take((entry) => entry.client === client)
    // The connection may be broken.
    client.end().catch(() => {})
  }

  async function connect({ user, password, database }: Login): Promise<Client> {
    // Only these start the session: the URL's `options` and `application_name` are dropped (backend.rs, connect_to_compute).
    const url = Object.assign(new URL(serverUrl), { username: user, password, pathname: encodeURIComponent(database) })
    const client = new Client({ connectionString: url.href })
    client.on('error', () => end(client))
    await client.connect()
    return client
  }

  return {
    async open(login) {
      const key = JSON.stringify(login)
      const entry = take((each) => each.key === key)
      await entry?.isReset
      const client = entry?.client ?? (await connect(login))
      return {
        client,
        cancel: () => cancel(client),
        release(isDiscarded) {
          if (isDiscarded || idle.length >= maxIdle) return end(client)
          const expiry = setTimeout(() => end(client), maxIdleMilliseconds).unref()
          idle.push({ key, client, expiry, isReset: client.query(resetTo('default')).catch(() => end(client)) })
        },
      }
    },
    async close() {
      for (const { expiry } of idle) clearTimeout(expiry)
      await Promise.all(idle.splice(0).map(({ client }) => client.end()))
    },
  }
}

function cancel(client: Client): void {
  const { processID, secretKey, host, port } = client as Client & { processID: number; secretKey: number }
  const connection = new Connection() as Connection & {
    connect(port: number, host: string): void
    cancel(processID: number, secretKey: number): void
  }
  connection.on('error', () => {})
  connection.once('connect', () => connection.cancel(processID, secretKey))
  connection.connect(port, host)
}

/**
 * PGlite has one session, its owner's. So each request takes its login's authorization, and the next request waits for a reset. Unlike on
 * a server, the settings of `alter role … set` do not apply, statements cannot be cancelled, and no session is discarded. The plans and
 * cached sequences of all logins stay.
 */
export function pgliteSessions(owner: Pool): Sessions {
  return {
    async open({ user }) {
      const client = await owner.connect()
      const release = () =>
        // PGlite's session has no default authorization.
        client.query(resetTo('postgres')).then(
          () => client.release(),
          (error) => client.release(error),
        )
      const { rows } = await client.query(
        `select set_config('session_authorization', rolname, false) from pg_roles where rolname = $1 and rolcanlogin`,
        [user],
      )
      if (rows.length > 0) return { client, cancel() {}, release: () => void release() }
      client.release()
      throw Object.assign(new DatabaseError(`role "${user}" is not permitted to log in`, 0, 'error'), {
        severity: 'FATAL',
        code: '28000',
      })
    },
    close: () => Promise.resolve(),
  }
}

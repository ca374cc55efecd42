import { Client, type ClientBase, Connection, DatabaseError, type Pool } from 'pg'

export interface Login {
  user: string
  password: string
  database: string
}

/** A session that one request has to itself. */
export interface Session {
  client: ClientBase
  /** Ends the statement that is running, as a `CancelRequest` does. */
  cancel(): void
  /** Resets the session for another request of its login, or closes it. */
  release(isDiscarded: boolean): void
}

export interface Sessions {
  /** @throws DatabaseError when the server does not let the login in */
  open(login: Login): Promise<Session>
  close(): Promise<void>
}

/** client.rs, reset_session_background. The plans of functions stay. */
const resetTo = (
  user: string,
) => `rollback; close all; set session authorization ${user}; reset all; deallocate all; unlisten *;
  select pg_advisory_unlock_all(); discard temp; discard sequences`

/** Per endpoint, of all logins together: proxy.rs, sql_over_http_pool_max_conns_per_endpoint and sql_over_http_idle_timeout. */
const maxIdle = 20
const maxIdleMilliseconds = 300_000

interface Idle {
  key: string
  client: Client
  isReset: Promise<unknown>
  expiry: NodeJS.Timeout
}

/** Sessions of the logins themselves, the newest idle one first (conn_pool_lib.rs). With `maxIdle` idle ones, one that ends is closed. */
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
    // It may be broken.
    client.end().catch(() => {})
  }

  async function connect({ user, password, database }: Login): Promise<Client> {
    // Only these reach the session's start: `options` and `application_name` of the URL do not (backend.rs, connect_to_compute).
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
 * PGlite is one session, of its owner. So each request takes the authorization of its login, and a reset follows it, which the next
 * one waits for. Unlike on a server, what `alter role … set` has set does not count, a statement is not cancelled, and no session is
 * discarded: the plans of all logins, and what they have cached of sequences, stay.
 */
export function pgliteSessions(owner: Pool): Sessions {
  return {
    async open({ user }) {
      const client = await owner.connect()
      const release = () =>
        // Its session has no default.
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
        ...{ severity: 'FATAL', code: '28000' },
      })
    },
    close: () => Promise.resolve(),
  }
}

import { Kysely, PostgresDialect } from 'kysely'
import type { Pool } from 'pg'

/** Runs `use` on one connection of the pool. */
export async function withConnection<Result>(pool: Pool, use: (db: Kysely<never>) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  let broken: Error | undefined
  // Without a listener the server closing the connection would end this process. The statement under way fails.
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  const reserved = { query: client.query.bind(client), release() {} }
  const dialect = new PostgresDialect({ pool: { connect: async () => reserved, end: async () => {} } })
  try {
    return await use(new Kysely<never>({ dialect }))
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

export function onOneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ')
}

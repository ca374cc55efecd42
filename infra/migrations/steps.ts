import { type Kysely, sql } from 'kysely'

/** Of several steps each is recorded when it is done, so that the next run continues with the first that is not. */
export interface Step {
  /** In one transaction with its record. A step without one must be safe to repeat, from wherever it was interrupted. */
  readonly isTransaction: boolean
  run(db: Kysely<never>): Promise<void>
}

/** The statements' locks are held to the end of the step: what reads or rewrites many rows belongs into a backfill. */
export function inTransaction(...statements: string[]): Step {
  return {
    isTransaction: true,
    async run(db) {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}

/**
 * Builds an index beside traffic.
 * @param definition what follows the index's name: `on chunks (organization_id, content_hash) where embedding is null`
 */
export function buildIndex(name: string, definition: string, { unique = false } = {}): Step {
  return {
    isTransaction: false,
    async run(db) {
      if (await isInvalid(db, name)) await sql`drop index concurrently ${sql.id(name)}`.execute(db)
      await sql`create ${sql.raw(unique ? 'unique' : '')} index concurrently if not exists ${sql.id(name)}
        ${sql.raw(definition)}`.execute(db)
    },
  }
}

/** Drops an index beside traffic. */
export function dropIndex(name: string): Step {
  return {
    isTransaction: false,
    run: async (db) => void (await sql`drop index concurrently if exists ${sql.id(name)}`.execute(db)),
  }
}

/** An interrupted build leaves its index behind: written to, never read, and in the way of the next build. */
async function isInvalid(db: Kysely<never>, name: string): Promise<boolean> {
  const { rows } = await sql`select from pg_index where indexrelid = to_regclass(${name}) and not indisvalid`.execute(
    db,
  )
  return rows.length > 0
}

import { type ClientBase, escapeIdentifier } from 'pg'

/** The runner records each finished step of a change, so that the next run continues with the first unfinished one. */
export interface Step {
  /** True if one transaction has the step and its record. Otherwise, the step must be safe to repeat after any interruption. */
  readonly isTransaction: boolean
  run(client: ClientBase): Promise<void>
}

/** Runs the statements in one transaction, which holds their locks to its end. */
export function inTransaction(...statements: string[]): Step {
  return {
    isTransaction: true,
    async run(client) {
      for (const statement of statements) await client.query(statement)
    },
  }
}

/**
 * Builds an index beside traffic.
 * @param definition the SQL after the index's name, such as `on chunks (organization_id, token_count) where revision = 1`
 */
export function buildIndex(name: string, definition: string, { unique = false } = {}): Step {
  return {
    isTransaction: false,
    async run(client) {
      const index = escapeIdentifier(name)
      // An interrupted build leaves an invalid index: writes maintain it, reads ignore it, and it blocks the next build.
      const isLeft = 'select from pg_index where indexrelid = to_regclass($1) and not indisvalid'
      const { rows } = await client.query(isLeft, [index])
      if (rows.length > 0) await client.query(`drop index concurrently ${index}`)
      await client.query(`create ${unique ? 'unique' : ''} index concurrently if not exists ${index} ${definition}`)
    },
  }
}

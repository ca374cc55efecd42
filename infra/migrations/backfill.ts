import { type Kysely, sql } from 'kysely'
import type { Pool } from 'pg'
import { onOneLine, withConnection } from './connection.ts'
import { Pacer, type Pacing } from './pacing.ts'
import { retrying } from './retrying.ts'

/** Converts rows to the form that a release writes, beside traffic: its readers understand both forms. */
export interface Backfill<Key = unknown> {
  readonly name: string
  /**
   * In a transaction: converts the first `limit` rows that are still in the old form and come after `after` in the order of a
   * key, each locked with `for update skip locked`. An index has to find them without reading the rows that are done.
   * @param after the `last` of the batch before; undefined for the first rows
   * @returns how many rows it converted, and the key of the last; undefined when none comes after `after`
   */
  convert(
    db: Kysely<never>,
    after: Key | undefined,
    limit: number,
  ): Promise<{ converted: number; last: Key | undefined }>
}

export interface Progress {
  name: string
  /** Rows in this run. */
  converted: number
  /** Whether a whole pass found no row in the old form, apart from rows that others had locked. */
  isComplete: boolean
}

interface Options extends Pacing {
  /** Ends the run after the batch that is under way; the next run converts what is left. */
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
}

const progressMilliseconds = 10_000

/** May be interrupted at any time, and run by several at once. @throws Error, on one line, that names the backfill and the place */
export async function backfill(pool: Pool, backfills: readonly Backfill[], options: Options = {}): Promise<Progress[]> {
  const done: Progress[] = []
  for (const each of backfills) done.push(await run(pool, each, options))
  return done
}

async function run(pool: Pool, backfill: Backfill, options: Options): Promise<Progress> {
  const { signal, onProgress } = options
  const { name } = backfill
  const progress: Progress = { name, converted: 0, isComplete: false }
  let shown = performance.now()
  const pacer = new Pacer(options)
  let after: unknown
  let convertedInPass = 0
  while (!signal?.aborted && !progress.isComplete) {
    const { converted, last } = await pacer.run((limit) =>
      inTransaction(pool, name, after, (transaction) => backfill.convert(transaction, after, limit)),
    )
    progress.converted += converted
    convertedInPass += converted
    // Rows that were locked, or written by older code meanwhile, are found in another pass.
    if (last === undefined) {
      progress.isComplete = convertedInPass === 0
      convertedInPass = 0
    }
    after = last
    if (performance.now() - shown > progressMilliseconds) {
      shown = performance.now()
      onProgress?.({ ...progress })
    }
    if (progress.isComplete) break
    await pacer.pause()
  }
  onProgress?.(progress)
  return progress
}

async function inTransaction<Result>(
  pool: Pool,
  name: string,
  after: unknown,
  convert: (db: Kysely<never>) => Promise<Result>,
): Promise<Result> {
  const attempt = (db: Kysely<never>) =>
    db.transaction().execute(async (transaction) => {
      // Below Postgres's deadlock_timeout: in a deadlock with traffic this transaction gives way.
      await sql`set local lock_timeout = '500ms'`.execute(transaction)
      return await convert(transaction)
    })
  try {
    return await retrying(8, () => withConnection(pool, attempt))
  } catch (error) {
    const place = after === undefined ? 'at the start' : `after ${JSON.stringify(after)}`
    throw new Error(`${name}, ${place}: ${onOneLine(error)}`, { cause: error })
  }
}

import { type RawBuilder, sql } from 'kysely'
import { afterEach } from 'vitest'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { useStand } from '../support/stand/stand.ts'
import { keptQueue, sweeperWith } from '../support/stand/worker.ts'

/** A stand for sweeps. These work across organizations, so each test leaves none behind. */
export function useSweeps() {
  const stand = useStand()
  afterEach(async () => void (await sql`truncate organizations cascade`.execute(stand.db)))
  return {
    stand,
    rowsOf: async <T>(query: RawBuilder<T>) => (await query.execute(stand.db)).rows,
    /** One sweep: its report, and the documents of the messages that it sent. */
    async swept() {
      const { queue, sent } = keptQueue()
      const report = await sweep(sweeperWith(queue))
      return { report, ids: sent.map((each) => each.id) }
    },
  }
}

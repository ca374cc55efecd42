import { summarize } from '../../bench/statistics.ts'
import { sectionsPerBulkDocument } from '../generator/requests.ts'
import type { Caller } from '../generator/stream.ts'
import { quietly, type Scenario } from '../scenario.ts'
import { readySeconds } from '../stage/backlog.ts'

const perSecond = 40

/** One organization sends documents for a third of the time. */
export const ingest: Scenario = {
  name: 'ingest',
  async *run(stage, { seconds }) {
    const load = { arrivals: [{ seconds: seconds / 3, perSecond }] }
    const play = await stage.play({
      quiet: quietly(stage, seconds),
      others: { callers: [stage.greedy], mix: { bulk: 1 }, load },
    })
    const ready = async ({ organizationId }: Caller) => {
      const { runs, median, p95 } = summarize(await readySeconds(stage.db, organizationId, play.begunAt))
      return `${runs} documents ready in ${median.toFixed(1)} s (p95 ${p95.toFixed(1)} s)`
    }
    yield {
      title: `ingest: ${perSecond} documents a second of ${sectionsPerBulkDocument} chunks`,
      play,
      remarks: [`quiet: ${await ready(stage.quiet)}`, `others: ${await ready(stage.greedy)}`],
    }
  },
}

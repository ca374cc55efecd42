import type { Mix } from '../generator/stream.ts'
import { quietly, type Scenario } from '../scenario.ts'
import { type Limit, setLimit } from '../stage/callers.ts'

const kinds: { what: string; senders: number; mix: Mix }[] = [
  { what: 'searches', senders: 64, mix: { search: 1 } },
  { what: 'documents', senders: 8, mix: { bulk: 1 } },
]

const limits: { limit: Limit; title: string }[] = [
  { limit: 'default', title: 'with the limit that every organization has' },
  { limit: 'none', title: 'without a limit' },
]

/** One organization sends as fast as it is answered. */
export const greedy: Scenario = {
  name: 'greedy',
  async *run(stage, { seconds }) {
    for (const { what, senders, mix } of kinds)
      for (const { limit, title } of limits) {
        await setLimit(stage.db, stage.greedy, limit)
        const play = await stage.play({
          quiet: quietly(stage, seconds),
          others: { callers: [stage.greedy], mix, load: { senders, seconds } },
        })
        yield {
          title: `a greedy organization, ${what}, ${title}`,
          play,
          remarks: [`${senders} senders`],
        }
      }
    await setLimit(stage.db, stage.greedy, 'none')
  },
}

import { othersMix, quietly, type Scenario, steadyShare } from '../scenario.ts'
import { type Pace, usualPace } from '../stage/pace.ts'

const paces: { title: string; pace: Pace }[] = [
  { title: 'the provider takes 2 s', pace: 2_000 },
  { title: 'the provider hangs', pace: 'hang' },
]

/** At the steady rate, with the deadline that a search has by default. */
export const slowProvider: Scenario = {
  name: 'provider',
  async *run(stage, { seconds, held }) {
    const load = { arrivals: [{ seconds, perSecond: steadyShare * held }] }
    for (const { title, pace } of paces) {
      stage.provider.setPace(pace)
      const streams = { quiet: quietly(stage, seconds), others: { callers: stage.others, mix: othersMix, load } }
      const play = await stage.play(streams, () => stage.provider.setPace(usualPace))
      yield { title, play, remarks: [] }
    }
  },
}

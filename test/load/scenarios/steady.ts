import { othersMix, quietly, type Scenario, steadyShare } from '../scenario.ts'

export const steady: Scenario = {
  name: 'steady',
  async *run(stage, { seconds, held }) {
    const load = { arrivals: [{ seconds, perSecond: steadyShare * held }] }
    const play = await stage.play({
      quiet: quietly(stage, seconds),
      others: { callers: stage.others, mix: othersMix, load },
    })
    yield { title: `steady: ${steadyShare * 100} % of what it holds`, play, remarks: [] }
  },
}

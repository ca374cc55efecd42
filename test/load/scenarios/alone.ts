import type { Scenario } from '../scenario.ts'
import { quietly } from '../scenario.ts'

/** What the others are measured against. */
export const alone: Scenario = {
  name: 'alone',
  async *run(stage, { seconds }) {
    const play = await stage.play({ quiet: quietly(stage, seconds) })
    yield { title: 'the quiet organization alone', play, remarks: [] }
  },
}

import { recoverySeconds } from '../report/recovery.ts'
import { type Basis, type Measured, othersMix, quietly, type Scenario, steadyShare } from '../scenario.ts'
import type { Stage } from '../stage/stage.ts'

/** A steady rate, a peak of so many requests a second for a third of the time, and the steady rate again. */
async function peak(title: string, perSecond: number, stage: Stage, { seconds, held }: Basis): Promise<Measured> {
  const usual = steadyShare * held
  const [before, during] = [0.2 * seconds, seconds / 3]
  const after = seconds - before - during
  const arrivals = [
    { seconds: before, perSecond: usual },
    { seconds: during, perSecond },
    { seconds: after, perSecond: usual },
  ]
  const play = await stage.play({
    quiet: quietly(stage, seconds),
    others: { callers: stage.others, mix: othersMix, load: { arrivals } },
  })
  const all = [...play.samples.quiet, ...play.samples.others]
  const recovery = recoverySeconds(all, { from: before, to: before + during })
  const back = recovery === undefined ? `not back after ${Math.round(after)} s` : `back after ${recovery} s`
  return { title, play, remarks: [back] }
}

export const burst: Scenario = {
  name: 'burst',
  async *run(stage, basis) {
    yield await peak('10 × burst', 10 * steadyShare * basis.held, stage, basis)
  },
}

export const saturation: Scenario = {
  name: 'saturation',
  async *run(stage, basis) {
    for (const times of [4, 16]) yield await peak(`${times} × what it holds`, times * basis.held, stage, basis)
  },
}

import { isServed } from '../generator/stream.ts'
import { summarizeSamples } from '../report/figures.ts'
import { othersMix } from '../scenario.ts'
import type { Stage } from '../stage/stage.ts'

const stepSeconds = 3
const firstPerSecond = 15
const growth = 1.4
const minServedShare = 0.99
const maxP95Milliseconds = 500

/** Raises the rate until the stand does not hold it, twice. @returns the last that it held, in requests a second */
export async function findHeld(stage: Stage, progress: (text: string) => void): Promise<number> {
  let perSecond = firstPerSecond
  while ((await holds(stage, perSecond, progress)) || (await holds(stage, perSecond, progress))) perSecond *= growth
  return perSecond / growth
}

async function holds(stage: Stage, perSecond: number, progress: (text: string) => void): Promise<boolean> {
  const load = { arrivals: [{ seconds: stepSeconds, perSecond }] }
  const { samples } = await stage.play({ others: { callers: stage.others, mix: othersMix, load } })
  const sent = samples.others.length
  const served = samples.others.filter(isServed)
  const { p95 } = summarizeSamples(served)
  progress(`ramp: ${Math.round(perSecond)}/s, ${served.length} of ${sent} served, p95 ${Math.round(p95)} ms`)
  return served.length >= minServedShare * sent && p95 <= maxP95Milliseconds
}

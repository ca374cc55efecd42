import * as v from 'valibot'
import { needsMoment } from '../../shared/checks/moment.ts'
import { time } from '../../shared/http/input/time.ts'

/** The moment at which a check is asked if its question names a day relative to now, which means another later; else null. @param at when it was asked; now unless given */
export function momentOf(asked: { question: string; history?: readonly string[] }, at?: string): string | null {
  if (!needsMoment(asked)) return null
  const { success, output } = v.safeParse(time, at)
  return success ? output : new Date().toISOString()
}

import * as v from 'valibot'
import { needsMoment } from '../../shared/checks/moment.ts'
import { time } from '../../shared/http/input/time.ts'

interface Asked {
  question: string
  history?: readonly string[]
}

/** The moment at which a question was asked if it names a day relative to now, which means another later; else null. */
export function asOfDays({ at, ...asked }: Asked & { at: string | undefined }): string | null {
  const moment = v.safeParse(time, at)
  return moment.success && needsMoment(asked) ? moment.output : null
}

/** A check that needs a moment and has none is asked as of now. */
export function withMoment<Check extends Asked & { as_of: string | null }>(check: Check): Check {
  return { ...check, as_of: check.as_of ?? (needsMoment(check) ? new Date().toISOString() : null) }
}

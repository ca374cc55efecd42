import { ApiError } from '../http/errors.ts'
import { askedDays, isRelative } from '../retrieval/dates/asked-days.ts'
import { anywhere } from '../retrieval/dates/calendar.ts'

interface Asked {
  question: string
  history?: readonly string[] | undefined
}

/** True for a question with a day relative to now, such as “tomorrow”: its answer changes with the day on which it is asked. */
export function needsMoment({ question, history = [] }: Asked): boolean {
  return [question, ...history].some((turn) => askedDays(turn, new Date(), anywhere).some(isRelative))
}

/** @throws ApiError validation_failed for a question that needs a moment and has none: a change would be refused at random */
export function requireMoment({ as_of, ...asked }: Asked & { as_of?: string | Date | null | undefined }): void {
  if (as_of || !needsMoment(asked)) return
  const detail = 'is required, because the question names a day relative to now'
  throw new ApiError('validation_failed', 'See `errors` for each invalid field.', {
    errors: [{ pointer: '/as_of', code: 'required', detail }],
  })
}

import { Unavailable } from '../unavailable.ts'
import { describeError, log } from './log.ts'

export function logFailure(error: unknown, ids: object): void {
  const kind = error instanceof Unavailable ? `${error.service}_unavailable` : 'unexpected_error'
  log.error(kind, { ...ids, error: describeError(error) })
}

import { ApiError } from '../../shared/http/errors.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { onOneLine } from './answer-text.ts'

/** Describes an error for a platform that shows people a sentence and no status. */
export function faultText(error: unknown, requestId: string): string {
  if (error instanceof ApiError) return onOneLine(error.errors?.map(({ detail }) => detail).join('; ') ?? error.message)
  if (error instanceof Unavailable) return 'The knowledge base cannot be reached at the moment. Try again in a moment.'
  return `Something went wrong. It was logged under the request id ${requestId}.`
}

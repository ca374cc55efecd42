import { number } from '../sentences.ts'

export const unanswered = {
  removed: (count: number) => (count === 1 ? 'The question was deleted.' : `${number(count)} questions were deleted.`),
} as const

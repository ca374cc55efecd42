import { number } from '../../sentences.ts'

export const contradictions = {
  title: 'Contradictions',
  heading: 'Check these documents',
  lead: 'Callers may get either answer. Correct one of the documents, or delete it.',
  look: 'Look for contradictions between documents',
  none: 'No two documents give the same item different prices, and none is nearly the same as another.',
  tooMany: 'This agent has too many passages to be checked here.',
  alike: 'They say nearly the same.',
  prices: (count: number) => (count === 1 ? '1 price differs.' : `${number(count)} prices differ.`),
  and: 'and',
  more: (count: number) => `and ${number(count)} more`,
} as const

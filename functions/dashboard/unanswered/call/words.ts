import { number } from '../../sentences.ts'

export const call = {
  title: 'Call',
  find: 'What was a caller told?',
  label: 'Call ID',
  submit: 'Show call',
  none: 'No questions from this call',
  noneLead:
    'Questions are saved for 30 days if “Save callers’ questions” is on, and can be found here if your platform sent the ID of the call with them.',
  counts: (count: number) =>
    count === 1
      ? '1 question was asked in this call.'
      : `${number(count)} questions were asked in this call, in this order.`,
  onlyLast: (count: number) => `Only the last ${number(count)} questions of this call are shown.`,
  modes: { hybrid: 'by words and meaning', semantic: 'by meaning', keyword: 'by words' },
  degraded: 'by words only, as the meaning wasn’t available in time',
  took: (milliseconds: number) => `in ${number(milliseconds)} ms`,
  tooWeak: 'On Vapi, Retell and MCP, the agent was told that nothing was found.',
  nothing: 'Nothing was found.',
  passage: (number: number, score: number) => `Passage ${number} · score ${score.toFixed(2)}`,
  changed: 'as it was then: the text has changed since',
  notKept: 'The text that was found then is no longer saved.',
  deletedTitle: 'Deleted document',
  others: (count: number) => (count === 1 ? '1 more passage' : `${number(count)} more passages`),
  questionsOf: (agent: string) => `Show the questions from the call with ${agent}`,
  questions: 'Questions',
} as const

/** What to do about an answer. */
export const ways = {
  correct: 'Correct the text',
  document: 'Open passage',
  golden: 'Golden question',
  instead: 'Say this instead',
  of: (way: string, question: string) => `${way}: “${question}”`,
} as const

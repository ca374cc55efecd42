import { counted, number } from '../sentences.ts'

const place = (within: number) => (within === 1 ? 'first' : `among the first ${within}`)

export const golden = {
  add: 'New golden question',
  ran: (passed: number, all: number) =>
    all === 1 ? `The question ${passed === 1 ? 'passes' : 'fails'}.` : `${number(passed)} of ${number(all)} pass.`,
  expects: {
    passage: (title: string | undefined, words: string | null, within: number) =>
      `A passage${title === undefined ? '' : ` of ${title}`}${words === null ? '' : ` with the words “${words}”`} should be ${place(within)}`,
  },
  onFailure: { warn: 'warns', block: 'blocks changes' },
  after: (history: readonly string[]) => `after ${history.map((turn) => `“${turn}”`).join(', ')}`,
  of: (action: string, question: string) => `${action}: “${question}”`,
  form: {
    options: {
      warn: 'Make the change, and show a warning',
      block: 'Don’t make the change, and say why',
    },
    saved: { true: 'The golden question was saved. It passes.', false: 'The golden question was saved. It fails now.' },
    noDocument: 'Choose a document, or nothing. This document may have been deleted.',
    noWithin: 'Enter a number from 1 to 10.',
  },
  warnings: {
    counts: (count: number) =>
      `${counted(count, 'golden question')} ${count === 1 ? 'fails' : 'fail'} since this document was changed.`,
  },
  broken: {
    counts: (count: number) => `${counted(count, 'golden question')} would fail.`,
    named: (questions: readonly string[]) =>
      `Nothing was deleted: ${counted(questions.length, 'golden question')} would fail (${questions.map((each) => `“${each}”`).join(', ')}).`,
  },
} as const

import { number } from '../sentences.ts'

export const unanswered = {
  title: 'Unanswered',
  lead: 'What callers asked in the last 30 days and your agent found little for. Similar questions are grouped.',
  counts: (unanswered: number, asked: number) =>
    `${number(unanswered)} of ${number(asked)} ${asked === 1 ? 'question' : 'questions'} found little or nothing.`,
  also: 'Also',
  andMore: (count: number) => `${number(count)} more`,
  times: (count: number) => (count === 1 ? 'Asked once' : `Asked ${number(count)} times`),
  lastTime: 'last',
  call: 'Show call',
  callOf: (question: string) => `Show call: “${question}”`,
  ask: 'Ask again',
  askOf: (question: string) => `Ask again: “${question}”`,
  remove: 'Remove',
  removeOf: (question: string) => `Remove “${question}” from the list`,
  removed: (count: number) => (count === 1 ? 'The question was deleted.' : `${number(count)} questions were deleted.`),
  goneBefore: 'These questions are no longer available.',
  more: (count: number) => `${number(count)} more will appear here as you remove some.`,
  nothingYet: 'No questions yet',
  nothingYetLead: 'Questions that your agent finds little for will appear here.',
  allAnswered: 'No unanswered questions',
  allAnsweredLead: (asked: number) =>
    asked === 1
      ? 'Your agent found something for the one question.'
      : `Your agent found something for all ${number(asked)} questions.`,
  clear: 'Delete all questions',
  clearTitle: 'Delete all questions from this agent’s callers?',
  clearLead: (asked: number) =>
    `${asked === 1 ? 'The one question' : `All ${number(asked)} questions`} of the last 30 days will be deleted, including the answered ones. This can’t be undone.`,
  clearSubmit: 'Delete all',
} as const

export const questionLog = {
  title: 'Save callers’ questions',
  on: 'On',
  off: 'Off',
  what: 'Each question that a caller’s agent looks up is saved for 30 days, with how well it was answered. “Unanswered” then shows what your documents don’t cover.',
  care: 'Only the words and the call’s ID are saved: no phone number, no name, no recording. Callers may still mention personal details, so tell them if your law requires it. Anyone whose key can search can read the questions, and anyone whose key can change documents can delete them. At most 200 questions per hour are saved.',
  turnOn: 'Save questions',
  turnOff: 'Stop saving questions',
  turnedOn: 'From now on, questions are saved for 30 days.',
  turnedOff:
    'New questions are no longer saved. Existing questions are kept for 30 days, unless you delete them under “Unanswered”.',
  whoMay: 'Only a key with the “Change settings, keys and calls” permission can turn this on or off.',
} as const

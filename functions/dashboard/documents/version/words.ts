import { number } from '../../sentences.ts'

const passages = (count: number) => {
  if (count === 0) return 'no passage changes'
  return count === 1 ? '1 passage changes' : `${number(count)} passages change`
}

export const version = {
  state: 'New version?',
  ask: (other: string) => `It looks like a new version of “${other}”. Callers get nothing from it until you choose.`,
  asked: (title: string, other: string) =>
    `“${title}” looks like a new version of “${other}”: replace that one, or keep both?`,
  goneState: 'Serve it?',
  askGone:
    'The document that it looked like a new version of is deleted. Callers get nothing from this one until you choose.',
  askedGone: (title: string) =>
    `“${title}” waits for you: the document that it looked like a new version of is deleted.`,
  replace: (other: string, count: number | undefined) =>
    `Replace “${other}”${count === undefined ? '' : ` (${passages(count)})`}`,
  kept: (title: string) => `“${title}” is kept, and will answer callers in a moment.`,
} as const

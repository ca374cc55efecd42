import { number } from '../../sentences.ts'

const documents = (count: number) => (count === 1 ? '1 document' : `${number(count)} documents`)

export const selection = {
  all: 'Select all on this page',
  select: (title: string) => `Select “${title}”`,
  change: 'Change the selected documents',
  deleteSelected: 'Delete the selected documents',
  /** `{count}` stands for how many they are. */
  going: 'Callers will no longer get answers from {count} documents.',
  gone: '{count} documents were deleted.',
  kept: '{count} documents were kept.',
  heading: (count: number) => `Change ${documents(count)}`,
  none: 'No document is selected, or those that were are deleted.',
  back: 'Back to the documents',
  retry: 'Try again',
  retryHint: 'The documents that failed are processed once more.',
  delete: (count: number) => `Delete ${documents(count)}`,
  deleteHint:
    'Callers will no longer get answers from these documents, and their files will be deleted, too. This can’t be undone.',
  done: {
    retry: (count: number) => `${documents(count)} will be processed again.`,
    dates: (count: number) => `The days of ${documents(count)} were set.`,
    delete: (count: number) => `${documents(count)} ${count === 1 ? 'was' : 'were'} deleted.`,
  },
  left: (titles: string[], more: number, reason: string) =>
    `Not changed, because ${reason}: ${titles.map((title) => `“${title}”`).join(', ')}${more > 0 ? ` and ${number(more)} more` : ''}.`,
  reasons: {
    changed: 'somebody else has changed or deleted it',
    golden: 'golden questions would fail',
    full: 'too many documents are being processed',
    late: 'it would have taken too long',
  },
} as const

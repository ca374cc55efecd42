import { counted, number } from '../../sentences.ts'

export const selection = {
  heading: (count: number) => `Change ${counted(count, 'document')}`,
  done: {
    retry: (count: number) => `${counted(count, 'document')} will be processed again.`,
    dates: (count: number) => `The days of ${counted(count, 'document')} were set.`,
    delete: (count: number) => `${counted(count, 'document')} ${count === 1 ? 'is' : 'are'} in the trash.`,
  },
  left: (titles: string[], more: number, reason: string) =>
    `Not changed, because ${reason}: ${titles.map((title) => `“${title}”`).join(', ')}${more > 0 ? ` and ${number(more)} more` : ''}.`,
} as const

import { number } from '../sentences.ts'

export const agents = {
  title: 'Agents',
  lead: 'Each voice agent answers callers from its own documents.',
  none: 'No agents yet',
  noneLead:
    'An agent is one voice on the phone, with its own documents. Whoever runs Cuecard for you creates it with this command:',
  isOn: 'Answers callers',
  isOff: {
    none: 'No documents yet',
    pending: 'Processing its first documents',
    failed: 'None of its documents could be read',
  },
  documents: (count: number) => (count === 1 ? '1 document' : `${number(count)} documents`),
  ready: (count: number) => `${number(count)} ready`,
  pending: (count: number) => `${number(count)} processing`,
  failed: (count: number) => `${number(count)} failed`,
  addFirst: 'Add the first document',
} as const

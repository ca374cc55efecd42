import { number } from '../sentences.ts'
import { webhooks } from './webhook-words.ts'

export const settings = {
  autoDelete: {
    changed: {
      on: 'From now on, completed calls are deleted.',
      off: 'From now on, completed calls are kept.',
    },
  },
  revisions: {
    turnOff: 'Stop keeping earlier texts',
    changed: {
      on: 'From now on, earlier texts of documents are kept.',
      off: 'Earlier texts of documents are no longer kept, and those that were are being deleted.',
    },
  },
  keys: {
    permissionMissing: 'Choose at least one permission.',
    periods: { 30: '30 days', 90: '90 days', 365: '1 year', never: 'Never' },
    revoked: (names: readonly string[]) =>
      names.length === 1 ? `The key “${names[0]}” was revoked.` : `${names.length} keys were revoked.`,
  },
  webhooks,
  usage: {
    files: (megabytes: number) =>
      `${megabytes.toLocaleString('en', { maximumSignificantDigits: megabytes < 100 ? 2 : 3 })} MB of files`,
    tokensOf: (used: number, max: number) =>
      `${number(used)} of ${number(max)} tokens, about ${Math.round(max / 1.3).toLocaleString('en', { notation: 'compact' })} words`,
    pipelineOf: (used: number, max: number) => `${number(used)} of ${number(max)}`,
  },
} as const

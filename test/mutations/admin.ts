// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is source text.
import type { Mutation } from './mutation.ts'
import { admin, audit, erasure, exporting } from './tests.ts'

export const adminMutations: Mutation[] = [
  {
    safeguard: 'an export waits for who reads it',
    file: 'infra/admin/commands/export.ts',
    find: 'Readable.from(toText(lines), { highWaterMark: 1 })',
    replace: 'await Array.fromAsync(toText(lines))',
    tests: [exporting],
  },
  {
    safeguard: 'an erasure revokes the keys before anything else',
    file: 'infra/admin/erasure/erase.ts',
    find: 'if (!subject.agentId) await revokeKeys(scoped, subject)',
    replace: '',
    tests: [erasure],
  },
  {
    safeguard: 'an organization’s rows stay until no instance accepts its keys',
    file: 'infra/admin/erasure/erase.ts',
    find: 'await untilKeysAreRejected()',
    replace: '',
    tests: [erasure],
  },
  {
    safeguard: 'an erasure takes an organization’s name as confirmation',
    file: 'infra/admin/erasure/confirm.ts',
    find: 'if (name !== typed)',
    replace: "if (name === 'never')",
    tests: [erasure],
  },
  {
    safeguard: 'an erasure deletes rows of the agent alone',
    file: 'infra/admin/erasure/delete-batch.ts',
    find: 'agentId && isOfAgent ? isOfAgent({ organizationId, agentId }) : ',
    replace: '',
    tests: [erasure],
  },
  {
    safeguard: 'an interrupted erasure continues with its counts',
    file: 'infra/admin/erasure/erasures.ts',
    find: "then ${eb.ref('erasures.counts')} else",
    replace: "then '{}' else",
    tests: [erasure],
  },
  {
    safeguard: 'names do not get into the record of actions',
    file: 'infra/admin/commands/action.ts',
    find: "new Set(['name', 'yesEraseName'])",
    replace: 'new Set()',
    tests: [audit],
  },
  {
    safeguard: 'an operator’s command for another server does not work on the local stand',
    file: 'infra/admin/connection.ts',
    find: 'if (url && url !== stand.server_url)',
    replace: "if (url === 'never')",
    tests: [admin],
  },
]

import { Command, Option } from 'commander'
import type { Status } from '../../../shared/database/tables.ts'
import { statuses } from '../../../shared/documents/document.ts'
import { type DocumentId, documentId, type OrganizationId } from '../../../shared/ids.ts'
import { CommandError } from '../command-error.ts'
import { findDocuments, findDocumentsInError, listDocuments, retryDocuments } from '../documents.ts'
import { onlyOrganization } from '../tenants.ts'
import { action, audited } from './action.ts'
import { type ListOptions, optional, parser } from './options.ts'

export function documentCommand() {
  const command = new Command('document').description('inspect and retry documents')
  command
    .command('list')
    .description('list an organization’s documents, longest waiting first')
    .addOption(optional.onlyOrganization())
    .addOption(new Option('--status <status>', 'only documents in this status').choices(statuses))
    .addOption(optional.limit())
    .action(
      action(
        async ({ db }, { organization, status, limit }: ListOptions & { status?: Status }) =>
          listDocuments(db, { organizationId: organization ?? (await onlyOrganization(db)), status, limit }),
        shownOfDocument,
      ),
    )
  command
    .command('retry')
    .description('process documents again: by id, or all of an organization that are in error')
    .argument('[ids...]', 'ids of documents', (text, ids: DocumentId[] = []) => [...ids, parser(documentId)(text)])
    .addOption(optional.organization())
    .addOption(new Option('--status <status>', 'with --organization: which documents to retry').choices(['error']))
    .action(
      audited(async ({ db, queues, program }, ids: DocumentId[], { organization, status }: RetryOptions) => {
        const targets = await findTargets()
        const data = await retryDocuments(db, (await queues()).work, targets)
        const rejected = data.filter((document) => document.refused !== null)
        for (const { id, refused: reason } of rejected) program.fail(`${id} was not retried. ${reason}`)
        return { data }

        function findTargets() {
          if (ids.length > 0 && !organization && !status) return findDocuments(db, [...new Set(ids)])
          if (ids.length === 0 && organization && status) return findDocumentsInError(db, organization)
          throw new CommandError('pass either the ids of documents, or both --organization and --status error')
        }
      }),
    )
  return command
}

/** The columns of the table; `--json` prints all. */
const shownOfDocument = [
  ...['id', 'title', 'status', 'attempts', 'age_seconds', 'chunk_count'],
  ...['error_message', 'waiting', 'next_attempt_at'],
]

interface RetryOptions {
  organization?: OrganizationId
  status?: 'error'
}

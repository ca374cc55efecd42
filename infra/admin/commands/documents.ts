import { Command, Option } from 'commander'
import { statuses } from '../../../functions/documents/document.ts'
import type { Status } from '../../../shared/database/tables.ts'
import { type DocumentId, documentId, type OrganizationId } from '../../../shared/ids.ts'
import { answers, checked, optional, required } from '../command.ts'
import { findDocuments, findDocumentsInError, listDocuments, retryDocuments } from '../documents.ts'
import { CommandError } from '../refusal.ts'

export function documentCommand() {
  const command = new Command('document').description('documents, across a customer’s agents')
  command
    .command('list')
    .description('list an organization’s documents, longest waiting first')
    .addOption(required.organization())
    .addOption(new Option('--status <status>', 'only those in this status').choices(statuses))
    .addOption(optional.limit())
    .action(
      answers(({ db }, { organization, status, limit }: ListOptions) =>
        listDocuments(db, { organizationId: organization, status, limit }),
      ),
    )
  command
    .command('retry')
    .description('process documents again: those named, or all of an organization that are in error')
    .argument('[ids...]', 'documents', (text, ids: DocumentId[] = []) => [...ids, checked(documentId)(text)])
    .addOption(optional.organization())
    .addOption(new Option('--status <status>', 'of all the organization’s documents').choices(['error']))
    .action(
      answers(async ({ db, queues }, ids: DocumentId[], { organization, status }: RetryOptions) => {
        const targets = await chosen()
        const data = await retryDocuments(db, (await queues()).work, targets)
        const refused = data.filter((document) => document.refused !== null)
        if (refused.length > 0) process.exitCode = 1
        for (const { id, refused: reason } of refused) console.error(`error: ${id} is not retried. ${reason}`)
        return { data }

        function chosen() {
          if (ids.length > 0 && !organization && !status) return findDocuments(db, [...new Set(ids)])
          if (ids.length === 0 && organization && status) return findDocumentsInError(db, organization)
          throw new CommandError('name documents, or give both --organization and --status error')
        }
      }),
    )
  return command
}

interface ListOptions {
  organization: OrganizationId
  status?: Status
  limit: number
}

interface RetryOptions {
  organization?: OrganizationId
  status?: 'error'
}

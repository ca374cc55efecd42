import { type Command, Option } from 'commander'
import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import type { Status } from '../../shared/database/tables.ts'
import { editDocument } from '../../shared/documents/client/edit-document.ts'
import { retry } from '../../shared/documents/client/edits.ts'
import { statuses } from '../../shared/documents/contract/document.ts'
import { isWaiting } from '../../shared/documents/processing/guards.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { type Tags, tagOf } from '../../shared/http/etag.ts'
import { type AgentId, type DocumentId, documentId, type OrganizationId } from '../../shared/ids.ts'
import type { Sender } from '../../shared/work/outbox.ts'
import { CommandError } from '../command-line/command-error.ts'
import { type ListOptions, optional, parser, subcommand } from '../command-line/options.ts'
import { action, audited } from './action.ts'
import { anyOrganization, rowsOf, toPage } from './lists.ts'
import { onlyOrganization } from './organizations.ts'

export function addDocumentCommands(program: Command): void {
  const command = subcommand(program, 'document', 'inspect and retry documents')
  subcommand(command, 'list', 'list an organization’s documents, longest waiting first')
    .addOption(optional.onlyOrganization())
    .addOption(new Option('--status <status>', 'only documents in this status').choices(statuses))
    .addOption(optional.limit())
    .action(action(({ db }, options: DocumentsQuery) => listDocuments(db, options), shownOfDocument))
  subcommand(command, 'retry', 'process documents again: by id, or all of an organization that are in error')
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
}

const shownOfDocument = [
  'id',
  'title',
  'status',
  'attempts',
  'age_seconds',
  'chunk_count',
  'error_message',
  'waiting',
  'next_attempt_at',
]

interface RetryOptions {
  organization?: OrganizationId
  status?: 'error'
}

const d = columnsOf('documents', 'd')
const waiting = sql<string | null>`case when ${isWaiting} then ${d.waiting_reason} end`

type DocumentsQuery = ListOptions & { status?: Status }

/** Lists the documents of all agents, longest waiting first. @throws CommandError if the organization does not exist */
async function listDocuments(db: Database, { organization, status, limit }: DocumentsQuery) {
  const organizationId = organization ?? (await onlyOrganization(db))
  const documents = db
    .selectFrom('documents as d')
    .select(['d.id', 'd.agent_id', 'd.title', 'd.status', 'd.managed_by', 'd.error_code', 'd.error_message'])
    .select([
      'd.tries as attempts',
      sql<number>`greatest(0, extract(epoch from now() - ${d.pending_since}))::int`.as('age_seconds'),
    ])
    .select([waiting.as('waiting'), 'd.next_attempt_at', 'd.chunk_count'])
    .select(['d.searchable_chunk_count', 'd.created_at', 'd.updated_at'])
    .where('d.organization_id', '=', organizationId)
    .where('d.deleted_at', 'is', null)
    .$if(status !== undefined, (query) => query.where('d.status', '=', status!))
    .orderBy('d.pending_since')
    .orderBy('d.id')
    .limit(limit + 1)
  return toPage(await rowsOf(db, organizationId, documents), limit)
}

export interface Target {
  organization_id: OrganizationId
  agent_id: AgentId
  id: DocumentId
  tags: Tags
}

async function findDocuments(db: Database, ids: DocumentId[]): Promise<Target[]> {
  const rows = await targets(db).where('d.organization_id', '=', anyOrganization).where('d.id', 'in', ids).execute()
  const missing = new Set(ids).difference(new Set(rows.map((row) => row.id)))
  if (missing.size > 0) throw new CommandError(`no such document: ${[...missing].join(', ')}`)
  return rows.map(({ edits: _, version: __, ...row }) => ({ ...row, tags: '*' }))
}

async function findDocumentsInError(db: Database, organizationId: OrganizationId): Promise<Target[]> {
  const inError = targets(db).where('d.organization_id', '=', organizationId).where('d.status', '=', 'error')
  const rows = await rowsOf(db, organizationId, inError.orderBy('d.pending_since'))
  return rows.map(({ edits, version, ...row }) => ({ ...row, tags: [tagOf({ edits, version })] }))
}

function targets(db: Database) {
  return db
    .selectFrom('documents as d')
    .select(['d.edits', 'd.version', 'd.organization_id', 'd.agent_id', 'd.id'])
    .where('d.deleted_at', 'is', null)
    .$narrowType<Omit<Target, 'tags'>>()
}

interface Retried {
  id: DocumentId
  organization_id: OrganizationId
  /** False if no queue accepted the message; the sweeper then sends it later. */
  queued: boolean
  /** The API's reason why the document was not retried; null if it was. */
  refused: string | null
}

const atOnce = 10

export async function retryDocuments(db: Database, queue: Sender | undefined, targets: Target[]): Promise<Retried[]> {
  const retried: Retried[] = []
  for (let start = 0; start < targets.length; start += atOnce)
    retried.push(
      ...(await Promise.all(targets.slice(start, start + atOnce).map((target) => retryDocument(db, queue, target)))),
    )
  return retried
}

async function retryDocument(db: Database, queue: Sender | undefined, target: Target): Promise<Retried> {
  const { organization_id, agent_id, id, tags } = target
  const scope = { organizationId: organization_id, agentId: agent_id, documentId: id }
  try {
    const outbox = { db: db.forOrganization(organization_id), queue }
    const { queued } = await editDocument(outbox, scope, retry, { origin: {}, match: tags })
    return { id, organization_id, queued, refused: null }
  } catch (error) {
    if (error instanceof ApiError) return { id, organization_id, queued: false, refused: error.message }
    throw error
  }
}

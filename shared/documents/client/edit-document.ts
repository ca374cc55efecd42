import { sql } from 'kysely'
import { type Database, violates } from '../../database/database.ts'
import { type DocumentScope, isDocument } from '../../database/scope.ts'
import { ApiError } from '../../http/errors.ts'
import { editsOf, type Tags } from '../../http/etag.ts'
import { findDocument } from '../../http/not-found.ts'
import { commit, outdated, type Permit } from '../../knowledge/commit.ts'
import type { Origin } from '../../work/message.ts'
import { enqueue, type Outbox } from '../../work/outbox.ts'
import { createdColumns, type DocumentRow, documentColumns } from '../contract/document.ts'
import { neverValid } from '../contract/input.ts'
import { isEmptied, isFile } from '../processing/guards.ts'
import { rejectPastQuota } from '../processing/quotas.ts'
import { deleteUnusedVectors, scopeOfClaims } from '../processing/served-chunks.ts'
import { selectDocument } from './chunks.ts'
import { disagreements } from './disagreements.ts'
import { preconditionFailed } from './documents.ts'
import type { Decide, Edit, StoredDocument } from './edits.ts'
import { rejectTakenIds } from './insert-document.ts'

interface Request {
  origin: Origin
  match?: Tags | undefined
  /** True if checks that block must not stop it, or the revision that it starts. */
  ignores?: boolean | undefined
  /** True if `decide` needs the text of a file. */
  readsText?: boolean
}

/**
 * Makes the edit that `decide` (edits.ts) returns for the document as it is stored, and queues a document that is to be processed.
 * `queued`: a message was sent for it.
 * @throws ApiError agent_not_found, document_not_found, precondition_failed, validation_failed, external_id_conflict,
 * golden_questions_fail, rate_limited, and those of `decide`; Unavailable
 */
export async function editDocument(
  { db, queue }: Outbox,
  scope: DocumentScope,
  decide: Decide,
  { origin, match = '*', ignores = false, readsText = false }: Request,
): Promise<{ document: DocumentRow; queued: boolean }> {
  const { document, becomes, awaitsText } = await commit(db, scope, async () => {
    const found = await read(db, scope, readsText)
    if (match !== '*' && !editsOf(match).includes(String(found.edits))) preconditionFailed()
    const edit = decide(found, origin)
    const isServed = found.active_revision !== null || edit.becomes === 'completed'
    const effects = edit.effect && isServed ? [{ document_id: scope.documentId, ...edit.effect }] : []
    const set = edit.becomes === 'restarted' ? { ...edit.set, ignores_golden_questions: ignores } : edit.set
    return {
      effects,
      ignores,
      served: edit.becomes === 'completed' ? { scope } : undefined,
      async make(permit) {
        const changes = { ...edit, set: { title: sql<string>`d.title`, ...set } }
        const document = await change(db, scope, found, changes, effects.length > 0 ? permit : undefined)
        const awaitsText = found.is_file && edit.set.content === undefined && edit.set.extracted_text === null
        return document ? { document, becomes: edit.becomes, awaitsText } : outdated
      },
    }
  })
  if (becomes !== 'restarted') return { document, queued: false }
  const { organizationId, documentId: id } = scope
  const work = { organizationId, kind: 'document', id, awaitsText, ...origin } as const
  return { document, queued: await enqueue({ db, queue }, work) }
}

interface Found extends StoredDocument {
  revision: number
  version: string
  edits: number
}

async function read(db: Database, scope: DocumentScope, hasText: boolean): Promise<Found> {
  const found = sql<Found>`
    select d.status, d.managed_by, d.content_hash, d.chunk_count, d.revision, d.version, d.edits, d.title,
      d.active_revision, d.valid_from, d.valid_until, ${isFile} as is_file, ${isEmptied} as is_emptied, d.corrections,
      case when ${hasText}::boolean then d.extracted_text end as extracted_text, d.page_starts,
      exists (select from chunks c where c.organization_id = d.organization_id and c.document_id = d.id
        and c.revision = d.revision and c.vector_id is not null) as has_embedding
    from documents d where ${isDocument(scope)}`
  return await findDocument(db, scope, found)
}

/** Returns undefined if the permit is not valid, or if the document has changed: all that an edit reads changes with version or revision. */
async function change(
  db: Database,
  scope: DocumentScope,
  found: Found,
  { set, becomes }: Edit,
  permit: Permit | undefined,
): Promise<DocumentRow | undefined> {
  const isClients = found.managed_by === 'client' && becomes !== undefined
  const superseded =
    becomes === 'completed'
      ? sql`c.revision <> ${found.revision}`
      : sql`c.revision > coalesce(changed.active_revision, 0)`
  const { changed } = await db
    .batch({
      ...(permit && { held: permit.lock(selectDocument(db, scope).forNoKeyUpdate()) }),
      changed: db
        .with('changed', (db) =>
          db
            .updateTable('documents as d')
            .set({ ...set, ...permit?.warnings })
            .where(isDocument(scope))
            .where('d.version', '=', found.version)
            .where('d.revision', '=', found.revision)
            .where(permit?.isValid ?? sql<boolean>`true`)
            .returning([
              'd.title',
              'd.content',
              ...createdColumns,
              'd.active_revision',
              disagreements.as('disagreements'),
            ]),
        )
        // A client's document has served chunks and draft chunks; the change deletes one of the two.
        .with(
          'superseded',
          () => sql`(delete from chunks c using changed
            where c.organization_id = ${scope.organizationId} and c.document_id = ${scope.documentId}
              and ${isClients}::boolean and ${superseded})`,
        )
        .selectFrom('changed')
        .select([...documentColumns, 'disagreements']),
      ...('metadata' in set && {
        scoped: sql`update document_claims c set scope = ${scopeOfClaims} from documents d
          where ${isDocument(scope)} and c.organization_id = d.organization_id and c.document_id = d.id`,
      }),
      ...(isClients && { unused: deleteUnusedVectors(scope) }),
    })
    .catch((error) => reject(db, scope, set, error))
  return changed[0]
}

/** Rejects an external id that another document has, and a date that contradicts the stored one. @throws ApiError; else the error itself */
async function reject(db: Database, scope: DocumentScope, set: Edit['set'], error: unknown): Promise<never> {
  await rejectTakenIds(db, scope, [{ external_id: set.external_id as string | null }], error)
  if (!violates(error, 'documents_validity')) rejectPastQuota(error)
  const [pointer, detail] = set.valid_until
    ? ['/valid_until', neverValid]
    : ['/valid_from', 'must be earlier than `valid_until`']
  throw new ApiError('validation_failed', 'See `errors` for each invalid field.', {
    errors: [{ pointer, code: 'invalid', detail }],
    cause: error,
  })
}

import { type Expression, type SqlBool, sql } from 'kysely'
import { columnsOf } from '../../database/columns.ts'
import { type Database, violates } from '../../database/database.ts'
import { type DocumentScope, isDocument } from '../../database/scope.ts'
import type { Correction, PageStart } from '../../database/tables.ts'
import {
  isUnchanged,
  keepResults,
  lockAfter,
  lockKnowledge,
  type Verdict,
  verdictOn,
  warningsAfter,
} from '../../golden/check.ts'
import type { Change } from '../../golden/search-after.ts'
import { ApiError } from '../../http/errors.ts'
import { editsOf, type Tags } from '../../http/etag.ts'
import { findDocument } from '../../http/not-found.ts'
import type { Origin } from '../../queue.ts'
import { titleTerms } from '../../terms/indexed-terms.ts'
import { Unavailable } from '../../unavailable.ts'
import { createdColumns, type DocumentRow, documentColumns } from '../contract/document.ts'
import { neverValid, type UpdateInput } from '../contract/input.ts'
import { keepClaims, scopeOfClaims } from '../processing/claims.ts'
import { isFile } from '../processing/guards.ts'
import { enqueue, type Outbox } from '../processing/outbox.ts'
import { rejectPastQuota } from '../processing/quotas.ts'
import { deleteUnusedVectors } from '../processing/served-chunks.ts'
import {
  awaitText,
  becomeText,
  complete,
  correct,
  leaveSource,
  restart,
  type Transition,
} from '../processing/transitions.ts'
import { corrected } from '../text/corrections.ts'
import { movedStarts } from '../text/page-starts.ts'
import { selectDocument } from './chunks.ts'
import { type DocumentState, decideUpdate } from './decide-update.ts'
import { disagreements } from './disagreements.ts'
import { hashContent, preconditionFailed } from './documents.ts'
import { rejectTakenIds } from './insert-document.ts'

/** Returns the corrections of a file's text after an edit. With it, the document remains a file when its content changes. */
export type CorrectionsAfter = (text: string, corrections: readonly Correction[], edited: string) => Correction[]

/** Changes title, content, external id, metadata and dates, and the status as `decideUpdate` says. With `isPage`, a crawl makes the change and the document stays its source's. @throws ApiError, Unavailable */
export async function updateDocument(
  { db, queue }: Outbox,
  scope: DocumentScope,
  input: UpdateInput & { isRestored?: boolean; isPage?: boolean; corrections?: CorrectionsAfter | undefined },
  origin: Origin,
  match: Tags = '*',
): Promise<{ document: DocumentRow; queued: boolean }> {
  const { valid_from, valid_until, external_id, metadata } = input
  const dates = { ...(valid_from !== undefined && { valid_from }), ...(valid_until !== undefined && { valid_until }) }
  const content_hash = input.content === undefined ? undefined : hashContent(input.content)
  const ignores = input.ignore_golden_questions ?? false
  let verdict: Verdict | undefined
  for (let i = 0; i < maxDecisions; i++) {
    const found = await read(db, scope, input.corrections !== undefined)
    if (match !== '*' && !editsOf(match).includes(String(found.edits))) preconditionFailed()
    const { extracted_text, page_starts, corrections } = found
    const isCorrected = input.corrections !== undefined && found.is_file && extracted_text !== null
    const decision = decideUpdate(
      { ...found, is_file: found.is_file && !isCorrected },
      { content_hash, status: input.status, isRestored: input.isRestored },
    )
    const served = servedChange(scope, found, input, decision)
    const changes = {
      title: input.title ?? sql<string>`${d.title}`,
      ...(input.title !== undefined && { title_terms: titleTerms(input.title), title_from_file: false }),
      ...dates,
      ...(external_id !== undefined && { external_id, ...leaveSource }),
      ...(metadata && { metadata: JSON.stringify(metadata) }),
      ...(decision === 'restart' && {
        ...restart(origin),
        ignores_golden_questions: ignores,
        ...(content_hash &&
          !isCorrected && { content: input.content, content_hash, ...(!input.isPage && leaveSource) }),
        ...(found.is_file && !isCorrected && (content_hash ? becomeText : awaitText)),
        ...(isCorrected && {
          ...correct(
            input.content!,
            content_hash!,
            page_starts && movedStarts(page_starts, extracted_text, input.content!),
          ),
          corrections: JSON.stringify(
            input.corrections!(corrected(extracted_text, corrections), corrections, input.content!),
          ),
        }),
      }),
      ...(decision === 'complete' && complete),
      ...(served && verdict && { warnings: warningsAfter(verdict) }),
    }
    const guard = served && isUnchanged(scope, verdict)
    const document = await change(db, scope, found, changes, guard).catch(async (error) => {
      await rejectTakenIds(db, scope, [input], error)
      return rejectNeverValid(error, input)
    })
    if (!document) {
      verdict = served && (await verdictOn(db, scope, served, ignores))
      continue
    }
    if (served) await keepResults(db, scope, verdict)
    if (decision === 'complete') await keepClaims(db, scope)
    const awaitsText = found.is_file && !content_hash
    const work = { organizationId: scope.organizationId, documentId: scope.documentId, awaitsText, ...origin }
    return { document, queued: decision === 'restart' && (await enqueue({ db, queue }, work)) }
  }
  throw new Unavailable('database', new Error(`The document changed ${maxDecisions} times in a row`))
}

/** Rejects a date that contradicts the stored one. @throws ApiError validation_failed, rate_limited; else the error itself */
function rejectNeverValid(error: unknown, { valid_until }: UpdateInput): never {
  if (!violates(error, 'documents_validity')) rejectPastQuota(error)
  const [pointer, detail] = valid_until
    ? ['/valid_until', neverValid]
    : ['/valid_from', 'must be earlier than `valid_until`']
  throw new ApiError('validation_failed', 'See `errors` for each invalid field.', {
    errors: [{ pointer, code: 'invalid', detail }],
    cause: error,
  })
}

const maxDecisions = 50

const d = columnsOf('documents', 'd')

/** The part of the change that search serves at once; a new revision takes effect later. */
function servedChange(
  { documentId }: DocumentScope,
  found: Found,
  { title, valid_from, valid_until }: UpdateInput,
  decision: ReturnType<typeof decideUpdate>,
): Change | undefined {
  const hasTitle = title !== undefined && title !== found.title
  const hasDates = isOther(valid_from, found.valid_from) || isOther(valid_until, found.valid_until)
  if (decision !== 'complete' && (found.active_revision === null || !(hasTitle || hasDates))) return undefined
  const dates = {
    valid_from: valid_from === undefined ? found.valid_from : valid_from,
    valid_until: valid_until === undefined ? found.valid_until : valid_until,
  }
  return {
    document_id: documentId,
    ...(decision === 'complete' && { action: 'serves' }),
    ...(hasTitle && { title, title_terms: titleTerms(title) }),
    ...(hasDates && { dates }),
  }
}

function isOther(given: string | null | undefined, stored: Date | null): boolean {
  return given !== undefined && (given === null ? null : Date.parse(given)) !== (stored?.getTime() ?? null)
}

interface Found extends DocumentState {
  title: string
  active_revision: number | null
  valid_from: Date | null
  valid_until: Date | null
  revision: number
  version: string
  edits: number
  /** Null unless requested. */
  extracted_text: string | null
  page_starts: PageStart[] | null
  corrections: Correction[]
}

async function read(db: Database, scope: DocumentScope, hasText: boolean) {
  const found = sql<Found>`
    select d.status, d.managed_by, d.content_hash, d.chunk_count, d.revision, d.version, d.edits, d.title,
      d.active_revision, d.valid_from, d.valid_until, ${isFile} as is_file, d.corrections,
      case when ${hasText}::boolean then d.extracted_text end as extracted_text, d.page_starts,
      exists (select from chunks c where c.organization_id = d.organization_id and c.document_id = d.id
        and c.revision = d.revision and c.vector_id is not null) as has_embedding
    from documents d where ${isDocument(scope)}`
  return await findDocument(db, scope, found)
}

/** Returns undefined if the guard fails, or if the document has changed: all that `decideUpdate` reads changes with version or revision. */
async function change(
  db: Database,
  scope: DocumentScope,
  found: Found,
  changes: Transition,
  guard: Expression<SqlBool> | undefined,
) {
  const isClients = found.managed_by === 'client' && 'status' in changes
  const { changed } = await db.batch({
    ...(guard && { held: lockAfter(selectDocument(db, scope).forNoKeyUpdate(), lockKnowledge(scope)) }),
    changed: db
      .with('changed', (db) =>
        db
          .updateTable('documents as d')
          .set(changes)
          .where(isDocument(scope))
          .where('d.version', '=', found.version)
          .where('d.revision', '=', found.revision)
          .where(guard ?? sql<boolean>`true`)
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
          where c.organization_id = ${scope.organizationId} and c.document_id = ${scope.documentId} and ${isClients}::boolean
            and ${'active_revision' in changes ? sql`c.revision <> ${found.revision}` : sql`c.revision > coalesce(changed.active_revision, 0)`})`,
      )
      .selectFrom('changed')
      .select([...documentColumns, 'disagreements']),
    ...('metadata' in changes && {
      scoped: sql`update document_claims c set scope = ${scopeOfClaims} from documents d
        where ${isDocument(scope)} and c.organization_id = d.organization_id and c.document_id = d.id`,
    }),
    ...(isClients && { unused: deleteUnusedVectors(scope) }),
  })
  return changed[0]
}

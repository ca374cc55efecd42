import type { Context } from 'hono'
import { html } from 'hono/html'
import * as v from 'valibot'
import type { ChunkSize } from '../../../../shared/chunking/chunker.ts'
import type { Database } from '../../../../shared/database/database.ts'
import type { DocumentScope } from '../../../../shared/database/scope.ts'
import { createDocument } from '../../../../shared/documents/create-document.ts'
import { updateDocument } from '../../../../shared/documents/update-document.ts'
import type { Embedder } from '../../../../shared/embedding/embedder.ts'
import { createGolden } from '../../../../shared/golden/store.ts'
import { tryText } from '../../../../shared/golden/try-text.ts'
import type { Meter } from '../../../../shared/http/request-meter.ts'
import { agentPath, documentPath } from '../../../../shared/ids.ts'
import { estimatedTokens } from '../../../../shared/limits/tokens.ts'
import type { Sender } from '../../../../shared/queue.ts'
import { isError } from '../../error-view.ts'
import { shortened } from '../../forms.ts'
import type { Html, View } from '../../layout.ts'
import { brokenView, isIgnoring, refusalOf } from '../../refused-change.ts'
import type { Screens } from '../../screen.ts'
import { zoneOf } from '../../times.ts'
import { subjectOf } from '../../titles.ts'
import { words } from '../../words.ts'
import { areInOrder, changedDates, dayFields } from '../dates.ts'
import { editsField, tooMany, unedited } from '../edits.ts'
import { documentPagePath, listPath, placeOf } from '../place.ts'
import { correctionsAfter } from './corrections.ts'
import { type Editable, readEditable } from './text.ts'
import { contentField, editView, goneView, maxWrittenBytes, newView, type Part, titleField } from './view.ts'

const maxQuestion = 500
const { notInOrder } = words.documents.dates
const newText = v.pipe(
  v.object({ title: titleField, content: contentField, ...dayFields }),
  v.forward(
    v.check((typed) => areInOrder(typed), notInOrder),
    ['until'],
  ),
)
const editedText = v.pipe(
  v.object({
    title: titleField,
    content: v.optional(contentField),
    edits: editsField,
    check: v.optional(v.string()),
    golden: v.optional(v.string()),
    ...dayFields,
  }),
  v.forward(
    v.check((typed) => areInOrder(typed), notInOrder),
    ['until'],
  ),
)

export function addTextScreens(
  screens: Screens,
  queue: Sender,
  { embedder, chunkSize }: { embedder: Embedder; chunkSize: ChunkSize },
) {
  const [permission, tab] = ['kb:write', 'documents'] as const
  screens
    .get(`${listPath}/new`, { permission, tab, params: agentPath }, ({ c, scope, may }) => {
      const question = questionOf(c)
      const typed = question ? { title: subjectOf(question) } : {}
      const view = newView(placeOf(scope, may).base, typed, zoneOf(c))
      return question ? { ...view, lead: `What should callers be told when they ask “${question}”?` } : view
    })
    .post(
      `${listPath}/new`,
      { permission, tab, params: agentPath, form: newText },
      async ({ c, db, scope, form, may, origin }) => {
        const { base } = placeOf(scope, may)
        const zone = zoneOf(c)
        if (!form.isValid) return { ...newView(base, form.typed, zone, form.faults), status: 422 }
        try {
          const { title, content, ...days } = form.values
          const dates = changedDates(days, { valid_from: null, valid_until: null }, zone)
          const { document } = await createDocument({ db, queue }, scope, { title, content, ...dates }, origin)
          return { redirect: `${base}/${document.id}`, flash: { text: words.documents.text.saved(document.title) } }
        } catch (error) {
          const { message, status } = tooMany(error)
          return { ...newView(base, form.values, zone, { title: message }), status }
        }
      },
    )
    .get(`${documentPagePath}/edit`, { permission, tab, params: documentPath }, async ({ c, db, scope, may }) => {
      const document = await readEditable(db, scope, maxWrittenBytes)
      const { base } = placeOf(scope, may)
      const { part, isOfText, ...shown } = shownOf(c)
      const isOfPart = part?.edits === document.edits
      const asked = isOfPart ? { part, isOfText } : { isOfText: isOfText || part !== undefined }
      return editView(document, `${base}/${scope.documentId}`, { ...shown, ...asked })
    })
    .post(
      `${documentPagePath}/edit`,
      { permission, tab, params: documentPath, form: editedText },
      async ({ c, db, meter, scope, form, may, origin }) => {
        const { base } = placeOf(scope, may)
        const address = `${base}/${scope.documentId}`
        const shown = shownOf(c)
        const { question, part } = shown
        const document = await findEditable(db, scope)
        if (!form.isValid) {
          const { typed, faults } = form
          if (!document) return goneView(base, typed, shown.zone)
          return { ...editView(document, address, { ...shown, typed, faults }), status: 422 }
        }
        const { edits, check, golden, ...typed } = form.values
        const { title, content: written, ...days } = typed
        if (!document) return goneView(base, typed, shown.zone)
        if (part && part.edits !== document.edits) return partConflictView(document, address, shown, written)
        const content = withPart(document.content, part, written)
        if (check && content !== undefined) {
          const text = { title, content }
          const note = await checkView({ db, embedder, chunkSize, ...meter }, scope, text)
          return { ...editView(document, address, { ...shown, typed: { ...typed, edits: `${edits}` }, note }) }
        }
        const isOther = content !== undefined && content !== withLineFeeds(document.content)
        try {
          const ignored = { ignore_golden_questions: isIgnoring(c) }
          const changes = {
            title,
            ...ignored,
            ...(isOther && { content, ...(document.source_url !== null && { corrections: correctionsAfter }) }),
            ...changedDates(days, document, shown.zone),
          }
          await updateDocument({ db, queue }, scope, changes, origin, unedited(edits))
          const fault = golden && question ? await keepGolden({ db, embedder, meter }, scope, question) : undefined
          if (fault)
            return {
              redirect: address,
              flash: { text: `The text was saved, but not the check. ${fault}`, isError: true },
            }
          const isDetached = isOther && document.website !== null
          const saved = isDetached ? words.sources.ofDocument.detached : words.documents.text.saved
          return { redirect: address, flash: { text: saved(title) } }
        } catch (error) {
          if (isError(error, 'rate_limited')) {
            const faults = { title: words.documents.busy }
            const editing = { ...shown, typed, faults }
            return { ...editView(document, address, editing), status: 429 }
          }
          if (!isError(error, 'precondition_failed')) throw error
          const theirs = await readEditable(db, scope, maxWrittenBytes)
          if (part) return partConflictView(theirs, address, shown, written)
          const editing = { ...shown, typed, isConflict: true }
          return { ...editView(theirs, address, editing), status: 409 }
        }
      },
    )
}

const number = v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number))
const partQuery = v.object({ passage: number, start: number, end: number, edits: number })

/** What the address says, apart from the document. */
function shownOf(c: Context) {
  const { output, success } = v.safeParse(partQuery, c.req.query())
  const part: Part | undefined = success ? output : undefined
  return { isOfText: c.req.query('text') !== undefined, part, zone: zoneOf(c), question: questionOf(c) }
}

function withPart(text: string | null, part: Part | undefined, written: string | undefined): string | undefined {
  if (!part || text === null || written === undefined) return written
  return text.slice(0, part.start) + written + text.slice(part.end)
}

/** A passage may be another by now: shows what was written beside the whole text. */
function partConflictView(
  document: Editable,
  address: string,
  { zone, question }: ReturnType<typeof shownOf>,
  written: string | undefined,
): View {
  const note = html`<div class="notice bad" role="alert"><p>Somebody has changed this document in the meantime, so your part wasn’t saved. The text is as it is now. You wrote:</p></div>
<div class="said">${written}</div>`
  return { ...editView(document, address, { isOfText: true, zone, question, note }), status: 409 }
}

/** What saving the text would do to the checks. Nothing is stored. */
async function checkView(...[trier, scope, text]: Parameters<typeof tryText>): Promise<Html> {
  try {
    const tried = await tryText(trier, scope, text)
    if (!tried) return html`<p class="notice" role="status">This agent has no checks yet.</p>`
    return tried.broken.length > 0
      ? brokenView(scope.agentId, tried.broken)
      : html`<p class="notice good" role="status">No check would fail. Nothing is saved yet.</p>`
  } catch (error) {
    return html`<p class="notice bad" role="alert">${refusalOf(error).message}</p>`
  }
}

/** The caller's question for which the text is corrected. */
function questionOf(c: Context): string | undefined {
  const question = c.req.query('question')?.trim()
  return question ? shortened(question, maxQuestion) : undefined
}

/** @returns why it is not kept, though the text is saved */
async function keepGolden(
  { meter, ...dependencies }: Parameters<typeof createGolden>[0] & { meter: Meter },
  scope: DocumentScope,
  question: string,
): Promise<string | undefined> {
  const expected = { document_id: scope.documentId, words: null, expects_nothing: false }
  try {
    await meter.reserveTokens(estimatedTokens(question))
    await createGolden(dependencies, scope, { question, ...expected, within: 3, on_failure: 'warn', as_of: null })
    return undefined
  } catch (error) {
    return refusalOf(error).message
  }
}

async function findEditable(db: Database, scope: DocumentScope): Promise<Editable | undefined> {
  try {
    return await readEditable(db, scope, maxWrittenBytes)
  } catch (error) {
    if (isError(error, 'document_not_found')) return undefined
    throw error
  }
}

function withLineFeeds(text: string | null): string | undefined {
  return text?.replaceAll(/\r\n?/g, '\n')
}

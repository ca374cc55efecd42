import type { Context } from 'hono'
import { html } from 'hono/html'
import * as v from 'valibot'
import type { ChunkSize } from '../../../../shared/chunking/chunker.ts'
import type { DocumentScope } from '../../../../shared/database/scope.ts'
import { createDocument } from '../../../../shared/documents/client/create-document.ts'
import { updateDocument } from '../../../../shared/documents/client/update-document.ts'
import type { Embedder } from '../../../../shared/embedding/embedder.ts'
import { createGolden } from '../../../../shared/golden/store.ts'
import { tryText } from '../../../../shared/golden/try-text.ts'
import type { Meter } from '../../../../shared/http/request-meter.ts'
import { estimatedTokens } from '../../../../shared/limits/tokens.ts'
import { timeZoneOf } from '../../../../shared/organizations/time-zone.ts'
import type { Sender } from '../../../../shared/queue.ts'
import { asOfDays } from '../../as-of.ts'
import { isError } from '../../error-view.ts'
import { line, shortened } from '../../forms.ts'
import { agentPage, type Html, type View } from '../../layout.ts'
import { documentPath, documentRoute, documentsRoute } from '../../paths.ts'
import { brokenView, isIgnoring, refusalOf } from '../../refused-change.ts'
import type { Screens } from '../../screen.ts'
import { subjectOf } from '../../titles.ts'
import { areInOrder, changedDates, dayFields, notInOrder } from '../dates.ts'
import { editsField, tooMany, unedited } from '../edits.ts'
import { correctionsAfter } from './corrections.ts'
import { type Editable, partQuery, readEditable } from './text.ts'
import { alertView, type Editing, editView, maxTitle, newView, type Typed } from './view.ts'

const noContent = 'Enter the text that callers should get answers from.'

/** More than anybody writes by hand. Even with every character escaped, it fits into a request and a response. */
const maxWrittenBytes = 1024 * 1024

const titleField = line(maxTitle, {
  missing: 'Enter a title.',
  tooLong: 'A title can have at most 500 characters.',
})
const contentField = v.pipe(
  v.string(noContent),
  // Browsers send a form's line breaks as CR LF.
  v.transform((text) => text.replaceAll(/\r\n?/g, '\n')),
  v.regex(/\S/, noContent),
  v.maxBytes(maxWrittenBytes, 'A text written here can have at most 1 MB. Split it, or upload it as a file.'),
)

const maxQuestion = 500
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
    .get(`${documentsRoute}/new`, { permission, tab }, async ({ c, scope, agent }) => {
      const question = questionOf(c)
      const typed = question ? { title: subjectOf(question) } : {}
      const view = newView(agentPage(scope.agentId, 'documents'), timeZoneOf(await agent()), { typed })
      return question ? { ...view, lead: `What should callers be told when they ask “${question}”?` } : view
    })
    .post(`${documentsRoute}/new`, { permission, tab, form: newText }, async ({ db, scope, form, origin, agent }) => {
      const base = agentPage(scope.agentId, 'documents')
      const zone = timeZoneOf(await agent())
      if (!form.isValid) return { ...newView(base, zone, form), status: 422 }
      try {
        const { title, content, ...days } = form.values
        const dates = changedDates(days, { valid_from: null, valid_until: null, time_zone: zone })
        const { document } = await createDocument({ db, queue }, scope, { title, content, ...dates }, origin)
        return { redirect: `${base}/${document.id}`, flash: { text: `“${document.title}” was saved.` } }
      } catch (error) {
        const { message, status } = tooMany(error)
        return { ...newView(base, zone, { typed: form.values, faults: { title: message } }), status }
      }
    })
    .get(`${documentRoute}/edit`, { permission, tab }, async ({ c, db, scope }) => {
      const document = await readEditable(db, scope, maxWrittenBytes)
      const shown = shownOf(c)
      const isEdited = shown.part !== undefined && shown.part.edits !== document.edits
      const asked = isEdited ? { ...shown, ...whole } : shown
      return editView(document, documentPath(scope.agentId, scope.documentId), asked)
    })
    .post(
      `${documentRoute}/edit`,
      { permission, tab, form: editedText },
      async ({ c, db, meter, scope, form, origin, agent }) => {
        const address = documentPath(scope.agentId, scope.documentId)
        const shown = shownOf(c)
        const { question, part } = shown
        const typed: Typed = form.isValid ? form.values : form.typed
        const document = await readEditable(db, scope, maxWrittenBytes).catch((error) => {
          if (!isError(error, 'document_not_found')) throw error
        })
        if (!document)
          return {
            ...newView(agentPage(scope.agentId, 'documents'), timeZoneOf(await agent()), {
              ...{ typed, note: alertView(gone) },
            }),
            status: 404,
          }
        const again = (status: NonNullable<View['status']>, more: Partial<Editing>, now = document) => ({
          ...editView(now, address, { ...shown, typed, ...more }),
          status,
        })
        // The passage may have changed, so the typed text is shown with the whole text.
        const conflict = (now: Editable) => {
          const note = html`${alertView(partConflict)}<div class="said">${typed.content}</div>`
          return again(409, part ? { ...whole, typed: {}, note } : { isConflict: true }, now)
        }
        if (!form.isValid) return again(422, { faults: form.faults })
        const { title, content: written, edits, check, golden, ...days } = form.values
        if (part && part.edits !== document.edits) return conflict(document)
        const content = withPart(document.content, part, written)
        if (check && content !== undefined)
          return again(200, {
            note: await checkView({ db, embedder, chunkSize, ...meter }, scope, { title, content }, document),
          })
        const isOther = content !== undefined && content !== document.content?.replaceAll(/\r\n?/g, '\n')
        try {
          const changes = {
            title,
            ignore_golden_questions: isIgnoring(c),
            ...(isOther && { content, ...(document.source_url !== null && { corrections: correctionsAfter }) }),
            ...changedDates(days, document),
          }
          await updateDocument({ db, queue }, scope, changes, origin, unedited(edits))
        } catch (error) {
          if (isError(error, 'precondition_failed')) return conflict(await readEditable(db, scope, maxWrittenBytes))
          const { message, status } = tooMany(error)
          return again(status, { faults: { title: message } })
        }
        const asked = golden && question ? { question, at: shown.at ?? new Date().toISOString() } : undefined
        const fault = asked && (await keepGolden({ db, embedder, meter }, scope, asked.question, asOfDays(asked)))
        const isDetached = isOther && document.website !== null
        const saved = `“${title}” was saved.${isDetached ? ' It no longer changes with its website, which lists it as edited by hand.' : ''}`
        const text = fault ? `The text was saved, but not the check. ${fault}` : saved
        return { redirect: address, flash: { text, isError: fault !== undefined } }
      },
    )
}

const gone =
  'Somebody has deleted this document in the meantime. What you’ve written is still here: you can save it as a new document.'
const partConflict =
  'Somebody has changed this document in the meantime, so your part wasn’t saved. The form has the current text. You wrote:'
/** Shows the whole text instead of a part that has changed. */
const whole = { part: undefined, isOfText: true }

/** Reads the address's query. */
function shownOf(c: Context) {
  const { output, success } = v.safeParse(partQuery, c.req.query())
  return {
    isOfText: c.req.query('text') !== undefined,
    part: success ? output : undefined,
    question: questionOf(c),
    at: c.req.query('at'),
  }
}

function withPart(text: string | null, part: Editing['part'], written: string | undefined): string | undefined {
  if (!part || text === null || written === undefined) return written
  return text.slice(0, part.start) + written + text.slice(part.end)
}

/** Runs the checks as if the text were saved, and stores nothing. */
async function checkView(
  ...[trier, scope, text, document]: [...Parameters<typeof tryText>, document: Editable]
): Promise<Html> {
  try {
    const tried = await tryText(trier, scope, text)
    if (!tried) return html`<p class="notice" role="status">This agent has no checks yet.</p>`
    return tried.broken.length > 0
      ? brokenView(scope.agentId, tried.broken, timeZoneOf(document))
      : html`<p class="notice good" role="status">No check would fail. Nothing is saved yet.</p>`
  } catch (error) {
    return html`<p class="notice bad" role="alert">${refusalOf(error).message}</p>`
  }
}

/** The caller's question that the text should answer. */
function questionOf(c: Context): string | undefined {
  const question = c.req.query('question')?.trim()
  return question ? shortened(question, maxQuestion) : undefined
}

/** @returns why the check wasn't saved; undefined if it was */
async function keepGolden(
  { meter, ...dependencies }: Parameters<typeof createGolden>[0] & { meter: Meter },
  scope: DocumentScope,
  question: string,
  as_of: string | null,
): Promise<string | undefined> {
  const expected = { document_id: scope.documentId, words: null, expects_nothing: false }
  try {
    await meter.reserveTokens(estimatedTokens(question))
    await createGolden(dependencies, scope, { question, ...expected, within: 3, on_failure: 'warn', as_of })
    return undefined
  } catch (error) {
    return refusalOf(error).message
  }
}

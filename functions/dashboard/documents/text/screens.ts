import type { Context } from 'hono'
import { html } from 'hono/html'
import * as v from 'valibot'
import { answeringLine, answeringWords } from '../../../../shared/checks/broken.ts'
import { needsMoment } from '../../../../shared/checks/moment.ts'
import { createCheck } from '../../../../shared/checks/store.ts'
import type { AgentScope, DocumentScope } from '../../../../shared/database/scope.ts'
import { createDocument } from '../../../../shared/documents/client/create-document.ts'
import { editDocument } from '../../../../shared/documents/client/edit-document.ts'
import { correctText, edit } from '../../../../shared/documents/client/edits.ts'
import { time } from '../../../../shared/http/input/time.ts'
import type { Meter } from '../../../../shared/http/request-meter.ts'
import { estimatedTokens } from '../../../../shared/limits/tokens.ts'
import { timeZoneOf } from '../../../../shared/organizations/time-zone.ts'
import { subjectOf } from '../../../../shared/retrieval/explanation/sought-words.ts'
import type { Origin } from '../../../../shared/work/message.ts'
import type { Outbox, Sender } from '../../../../shared/work/outbox.ts'
import { isError } from '../../error-view.ts'
import { line, shortened } from '../../forms.ts'
import { agentPage, type View } from '../../layout.ts'
import { askPath, documentPath, documentRoute, documentsRoute } from '../../paths.ts'
import { brokenView, isIgnoring, refusalOf, updating } from '../../refused-change.ts'
import type { Answer, Screens } from '../../screen.ts'
import type { Checking } from '../conflict-screens.ts'
import { stoppedBy } from '../conflicts.ts'
import { areInOrder, changedDates, dayFields, notInOrder } from '../dates.ts'
import { editsField, tooMany, unedited } from '../edits.ts'
import { correctionsAfter } from './corrections.ts'
import { type Editable, maxWrittenBytes, readEditable, startOf } from './text.ts'
import { conflictView, type Editing, editView, maxTitle, newView, type Typed, textFormId } from './view.ts'

const noContent = 'Enter the text that callers should get answers from.'

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
    /** Makes checks that stop the text expect it. */
    update: v.optional(v.string()),
    golden: v.optional(v.string()),
    ...dayFields,
  }),
  v.forward(
    v.check((typed) => areInOrder(typed), notInOrder),
    ['until'],
  ),
)

export function addTextScreens(screens: Screens, queue: Sender, checking: Checking) {
  const [permission, tab] = ['kb:write', 'documents'] as const
  screens
    .get(`${documentsRoute}/new`, { permission, tab }, async ({ c, scope, agent }) => {
      const question = questionOf(c)
      const [cancel, zone] = [cameFrom(c, scope), timeZoneOf(await agent())]
      if (!question) return newView(cancel, zone)
      const lead = `What should callers be told when they ask “${question}”?`
      return { ...newView(cancel, zone, { typed: { title: subjectOf(question) }, cursor: 0 }), lead }
    })
    .post(
      `${documentsRoute}/new`,
      { permission, tab, form: newText },
      async ({ c, db, scope, form, origin, agent }) => {
        const cancel = cameFrom(c, scope)
        const zone = timeZoneOf(await agent())
        if (!form.isValid) return { ...newView(cancel, zone, form), status: 422 }
        try {
          const { title, content, ...days } = form.values
          const dates = changedDates(days, { valid_from: null, valid_until: null, time_zone: zone })
          const { document } = await createDocument({ db, queue }, scope, { title, content, ...dates }, origin)
          return createdFor(c, scope, document)
        } catch (error) {
          const { message, status } = tooMany(error)
          return { ...newView(cancel, zone, { typed: form.values, faults: { title: message } }), status }
        }
      },
    )
    .get(`${documentRoute}/edit`, { permission, tab }, async ({ c, db, scope }) => {
      const [document, cursor] = await Promise.all([
        readEditable(db, scope),
        startOf(db, scope, c.req.query('passage'), questionOf(c)),
      ])
      return editView(document, documentPath(scope.agentId, scope.documentId), { question: questionOf(c), cursor })
    })
    .post(`${documentRoute}/edit`, { permission, tab, form: editedText }, async (request) => {
      const { db, scope, form, agent } = request
      const address = documentPath(scope.agentId, scope.documentId)
      const question = questionOf(request.c)
      const typed: Typed = form.isValid ? form.values : form.typed
      const document = await readEditable(db, scope).catch((error) => {
        if (!isError(error, 'document_not_found')) throw error
      })
      if (!document) {
        const sent = { typed, note: html`<p class="notice bad" role="alert">${gone}</p>` }
        const base = agentPage(scope.agentId, 'documents')
        return { ...newView(base, timeZoneOf(await agent()), sent, `${base}/new`), status: 404 }
      }
      const again = (status: View['status'], more: Partial<Editing>, now = document): View => ({
        ...editView(now, address, { question, typed, ...more }),
        status,
      })
      if (!form.isValid) return again(422, { faults: form.faults })
      const sent = form.values
      const content = otherText(document, sent.content)
      const trier = { db, ...checking, ...request.meter }
      const ignores = isIgnoring(request.c)
      try {
        const text = content !== undefined && !ignores && { title: sent.title, content }
        const failing = text ? await stoppedBy(trier, scope, text, sent.update !== undefined) : []
        if (failing.length > 0) {
          const actions = html`<button form="${textFormId}" name="update" value="1">${updating(failing)}</button> <a class="button plain" href="${address}">Keep the old version</a>`
          const shown = { zone: timeZoneOf(document), of: 'text', actions } as const
          return again(409, { note: brokenView(scope.agentId, failing, shown) })
        }
        await save({ db, queue }, scope, document, { ...sent, content }, { origin: request.origin, ignores })
      } catch (error) {
        if (isError(error, 'precondition_failed')) {
          const now = await readEditable(db, scope)
          // A person who sees both versions may replace the other one.
          return again(409, { typed: { ...typed, edits: now.edits }, note: conflictView(typed, now, address) }, now)
        }
        const { message, status } = tooMany(error)
        return again(status, { faults: { title: message } })
      }
      // A text that stays as it is isn't corrected. Of a table's row only one cell answers, which Ask then keeps.
      const isRow = question && content && answeringLine(question, content).trim().startsWith('|')
      const asked = sent.golden && content !== undefined && !isRow ? question : undefined
      const store = { db, ...checking, meter: request.meter }
      const at = request.c.req.query('at')
      const fault = asked && (await keep(store, scope, asked, content, at))
      if (fault)
        return { redirect: address, flash: { text: `The text was saved, but not the check. ${fault}`, isError: true } }
      const isDetached = content !== undefined && document.website !== null
      const done = `“${sent.title}” was saved.${isDetached ? ' It no longer changes with its website, which lists it as edited by hand.' : ''}${sent.update ? ' Its checks expect the new text.' : ''}${sent.golden && isRow ? ' Keep its answer below, once it’s right.' : ''}`
      const redirect = question ? askPath(scope.agentId, { q: question, after: scope.documentId }) : address
      return { redirect, flash: { text: done } }
    })
}

/** The tab from which the form of a new text was opened. */
function cameFrom(c: Context, { agentId }: AgentScope): string {
  const { success, output } = v.safeParse(v.picklist(['ask', 'questions']), c.req.query('from'))
  return agentPage(agentId, success ? output : 'documents')
}

/** Leads from a new text back to where its question was found, or else to its document. */
function createdFor(c: Context, scope: AgentScope, { id, title }: { id: string; title: string }): Answer {
  const { agentId } = scope
  const q = questionOf(c)
  const text = `“${title}” was saved.`
  if (!q) return { redirect: documentPath(agentId, id), flash: { text } }
  const inbox = agentPage(agentId, 'questions')
  if (cameFrom(c, scope) !== inbox) return { redirect: askPath(agentId, { q, after: id }), flash: { text } }
  return { redirect: inbox, flash: { text: `${text} Its question leaves this list once the text is ready.` } }
}

type Sent = v.InferOutput<typeof editedText>

/** @throws ApiError */
async function save(
  outbox: Outbox,
  scope: DocumentScope,
  document: Editable,
  { title, content, edits, ...days }: Sent,
  request: { origin: Origin; ignores: boolean },
): Promise<void> {
  const changes = { title, ...changedDates(days, document) }
  const change = content === undefined ? edit(changes) : correctText({ ...changes, content }, correctionsAfter)
  await editDocument(outbox, scope, change, { ...request, match: unedited(edits), readsText: true })
}

/** The sent text if it differs from the document's. */
function otherText(document: Editable, sent: string | undefined): string | undefined {
  return sent === document.content?.replaceAll(/\r\n?/g, '\n') ? undefined : sent
}

const gone =
  'Somebody has deleted this document in the meantime. What you’ve written is still here: you can save it as a new document.'

/** The caller's question that the text should answer. */
function questionOf(c: Context): string | undefined {
  const question = c.req.query('question')?.trim()
  return question ? shortened(question, maxQuestion) : undefined
}

/** Keeps the caller's question as a check that the document answers it. @param at when it was asked; now unless given @returns why it couldn't; undefined if it did */
async function keep(
  { meter, ...dependencies }: Parameters<typeof createCheck>[0] & { meter: Meter },
  scope: DocumentScope,
  question: string,
  text: string | undefined,
  at: string | undefined,
): Promise<string | undefined> {
  const words = (text && answeringWords(question, text)) || null
  // “Tomorrow” is another day later.
  const as_of = needsMoment({ question }) ? v.parse(v.fallback(time, new Date().toISOString()), at) : null
  const expected = { document_id: scope.documentId, words, expects_nothing: false, as_of }
  try {
    await meter.reserveTokens(estimatedTokens(question))
    await createCheck(dependencies, scope, { question, ...expected, within: 3, on_failure: 'block' })
    return undefined
  } catch (error) {
    return refusalOf(error).message
  }
}

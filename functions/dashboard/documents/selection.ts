import { html } from 'hono/html'
import * as v from 'valibot'
import type { DocumentScope } from '../../../shared/database/scope.ts'
import { deleteDocument } from '../../../shared/documents/documents.ts'
import { updateDocument } from '../../../shared/documents/update-document.ts'
import type { Tags } from '../../../shared/http/etag.ts'
import { agentPath, type DocumentId, documentId } from '../../../shared/ids.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import type { Sender } from '../../../shared/queue.ts'
import { isError } from '../error-view.ts'
import type { Faults } from '../forms.ts'
import type { Html, View } from '../layout.ts'
import { type Screens, valid } from '../screen.ts'
import { counted, number } from '../sentences.ts'
import { zoneOf } from '../times.ts'
import { undoing } from '../trash.ts'
import { words } from '../words.ts'
import { areInOrder, changedDates, type Days, datesFields, dayFields } from './dates.ts'
import { editsField, unedited } from './edits.ts'
import { findOverviews, type Overview } from './overview.ts'
import { listPath, placeOf } from './place.ts'
import { aboutView, stateView } from './row.ts'
import { mayBeRetried, stateOf } from './state.ts'

const page = `${listPath}/selected`
const maxSelected = 100
const maxNamed = 3
/** What is not reached by then is left as it was, so that the answer comes within the Lambda's time. */
const workMilliseconds = 20_000

const selected = <T>(item: v.GenericSchema<string, T>) =>
  v.pipe(
    v.optional(v.union([v.array(v.string()), v.string()]), []),
    v.transform((sent) => [sent].flat().slice(0, maxSelected)),
    v.array(item),
  )
/** A document's id, and its number of edits when the form was loaded. */
const editedDocument = v.pipe(
  v.string(),
  v.transform((text) => text.split('.')),
  v.strictTuple([documentId, editsField]),
)
const chosenDocument = v.pipe(
  v.string(),
  v.transform((text) => text.split('.')[0]),
  documentId,
)
const selecting = { permission: 'kb:write', params: agentPath, tab: 'documents' } as const
const change = v.object({
  action: v.picklist(['retry', 'dates', 'delete']),
  document: selected(editedDocument),
  ...dayFields,
})

/** Retries, deletes or dates several documents: each that nobody has edited since, and says which were left as they were. */
export function addSelectionScreens(screens: Screens, queue: Sender) {
  screens
    .get(page, selecting, async ({ c, db, scope, may }) => {
      const ids = v.parse(v.fallback(selected(chosenDocument), []), c.req.queries('document'))
      const documents = await findOverviews(db, scope, ids)
      return selectionView({ base: placeOf(scope, may).base, documents, zone: zoneOf(c) })
    })
    .post(page, { ...selecting, form: change }, async ({ c, db, scope, form, may, origin }) => {
      await getAgent(db, scope)
      const { action, document, ...days } = valid(form)
      const { base } = placeOf(scope, may)
      const zone = zoneOf(c)
      const edits = new Map(document)
      const documents = await findOverviews(db, scope, [...edits.keys()])
      if (action === 'dates' && !areInOrder(days)) {
        const faults = { until: words.documents.dates.notInOrder }
        return { ...selectionView({ base, documents, zone, typed: days, faults }), status: 422 }
      }
      const changes = {
        delete: (_: Overview, place: DocumentScope, match: Tags) => deleteDocument(db, place, { match, toTrash: true }),
        retry: (_: Overview, place: DocumentScope, match: Tags) =>
          updateDocument({ db, queue }, place, { status: 'pending' }, origin, match),
        dates: async (shown: Overview, place: DocumentScope, match: Tags) => {
          const dates = changedDates(days, shown, zone)
          if (Object.keys(dates).length > 0) await updateDocument({ db, queue }, place, dates, origin, match)
        },
      }
      const started = performance.now()
      const done: string[] = []
      const left: [reason: string, title: string][] = []
      const wanted = action === 'retry' ? documents.filter(mayBeRetried) : documents
      for (const each of wanted) {
        const id = each.id as DocumentId
        try {
          if (performance.now() - started > workMilliseconds) left.push(['it would have taken too long', each.title])
          else {
            await changes[action](each, { ...scope, documentId: id }, unedited(edits.get(id)))
            done.push(id)
          }
        } catch (error) {
          left.push([reasonOf(error), each.title])
        }
      }
      const text = [doneText[action](done.length), ...leftOf(left)].join(' ')
      const isUndoable = action === 'delete' && done.length > 0
      const undo = isUndoable ? undoing(scope.agentId, 'document', done) : undefined
      return { redirect: base, flash: { text, isError: left.length > 0, undo } }
    })
}

const doneText = {
  retry: (count: number) => `${counted(count, 'document')} will be processed again.`,
  dates: (count: number) => `The days of ${counted(count, 'document')} were set.`,
  delete: (count: number) => `${counted(count, 'document')} ${count === 1 ? 'is' : 'are'} in the trash.`,
}
const changedSince = ['precondition_failed', 'document_not_found', 'processing_in_progress'] as const

/** @throws any error that says nothing about this one document */
function reasonOf(error: unknown): string {
  if (isError(error, 'golden_questions_fail')) return 'checks would fail'
  if (isError(error, 'rate_limited')) return 'too many documents are being processed'
  if (changedSince.some((code) => isError(error, code))) return 'somebody else has changed or deleted it'
  throw error
}

function leftOf(left: [reason: string, title: string][]): string[] {
  return [...Map.groupBy(left, ([reason]) => reason)].map(([reason, all]) => {
    const titles = all.map(([, title]) => `“${title}”`)
    const more = titles.length > maxNamed ? ` and ${number(titles.length - maxNamed)} more` : ''
    return `Not changed, because ${reason}: ${titles.slice(0, maxNamed).join(', ')}${more}.`
  })
}

interface Selection {
  base: string
  documents: Overview[]
  zone: string
  typed?: Days
  faults?: Faults
}

/** The documents that were selected, and what can be done with all of them. */
function selectionView({ base, documents, zone, typed = {}, faults = {} }: Selection): View {
  const form = (action: keyof typeof doneText, fields: Html | '', button: Html) =>
    html`<form method="post" action="${base}/selected"><input type="hidden" name="action" value="${action}">
${documents.map(({ id, edits }) => html`<input type="hidden" name="document" value="${id}.${edits}">`)}${fields}${button}</form>`
  const rows = documents.map(
    (
      document,
    ) => html`<li><div class="subject"><h2>${document.title}</h2><p class="about">${aboutView(document)}</p></div>
${stateView(stateOf(document))}</li>`,
  )
  return {
    title: `Change ${counted(documents.length, 'document')}`,
    crumbs: [],
    content:
      documents.length === 0
        ? html`<p class="none">No document is selected, or those that were are deleted. <a href="${base}">Back to the documents</a></p>`
        : html`<ul class="documents">${rows}</ul>
${documents.some(mayBeRetried) && form('retry', '', html`<p>The documents that failed are processed once more.</p><button class="plain">Try again</button>`)}
${form('dates', datesFields(typed, faults, zone), html`<button class="plain">Set these days</button>`)}
<p><a href="${base}">Back to the documents</a></p>`,
  }
}

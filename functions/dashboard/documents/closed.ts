import { html } from 'hono/html'
import * as v from 'valibot'
import { createDocument } from '../../../shared/documents/client/create-document.ts'
import { dayOf, timeZoneOf } from '../../../shared/organizations/time-zone.ts'
import type { Sender } from '../../../shared/work/outbox.ts'
import { fieldsOf, type Sent, sheetForm } from '../form-view.ts'
import { oneLine } from '../forms.ts'
import { agentPage, type View } from '../layout.ts'
import { askPath, documentsRoute } from '../paths.ts'
import type { Screens } from '../screen.ts'
import { daysInWords } from '../times.ts'
import { areInOrder, changedDates, dayFields, isDay, lastDay, notInOrder } from './dates.ts'
import { tooMany } from './edits.ts'

const maxNote = 500

const time = v.pipe(
  v.optional(v.string(), ''),
  v.check((text) => text === '' || /^([01]\d|2[0-3]):[0-5]\d$/.test(text), 'Enter a time, such as 10:00.'),
)
const noHours = 'Enter when you open, and a later time at which you close.'
const closedForm = v.pipe(
  v.object({
    from: v.pipe(v.string('Choose a day.'), v.check(isDay, 'Choose a day.')),
    until: dayFields.until,
    open: v.picklist(['closed', 'hours'], 'Choose one.'),
    opens: time,
    closes: time,
    note: v.pipe(
      v.optional(v.string(), ''),
      v.transform(oneLine),
      v.maxLength(maxNote, `This can have at most ${maxNote} characters.`),
    ),
  }),
  v.forward(
    v.check((typed) => areInOrder(typed), notInOrder),
    ['until'],
  ),
  v.forward(
    v.check(({ open, opens, closes }) => open === 'closed' || (opens !== '' && opens < closes), noHours),
    ['closes'],
  ),
)

/** A form for days on which the business is closed, or has other hours: it writes a text that is valid until they have passed. */
export function addClosedScreens(screens: Screens, queue: Sender) {
  const [path, permission, tab] = [`${documentsRoute}/closed`, 'kb:write', 'documents'] as const
  screens
    .get(path, { permission, tab }, async ({ c, scope, agent }) =>
      closedView(scope.agentId, timeZoneOf(await agent()), { typed: { from: c.req.query('from') } }),
    )
    .post(path, { permission, tab, form: closedForm }, async ({ db, scope, form, origin, agent }) => {
      const zone = timeZoneOf(await agent())
      const again = (faults: Sent['faults']) => closedView(scope.agentId, zone, { ...form, faults })
      if (!form.isValid) return { ...again(form.faults), status: 422 }
      const { from, until: to = '' } = form.values
      if (from < dayOf(new Date(), zone)) return { ...again({ from: 'This day has passed.' }), status: 422 }
      const until = to || from
      const dates = changedDates({ until }, { valid_from: null, valid_until: null, time_zone: zone })
      try {
        const text = textOf({ ...form.values, until })
        const { document } = await createDocument({ db, queue }, scope, { ...text, ...dates }, origin)
        const q = `are you open on ${daysInWords({ from, to: from })}`
        const flash = { text: `“${document.title}” was saved.` }
        return { redirect: askPath(scope.agentId, { q, after: document.id }), flash }
      } catch (error) {
        const { message, status } = tooMany(error)
        return { ...again({ from: message }), status }
      }
    })
}

/** The title and the sentence that callers hear. */
function textOf({ from, until, note, open, opens, closes }: v.InferOutput<typeof closedForm> & { until: string }) {
  const days = `${from === until ? 'on ' : ''}${daysInWords({ from, to: until })}`
  const hasHours = open === 'hours'
  const [short, long] = hasHours
    ? [`Open ${opens}–${closes}`, `We are open from ${opens} to ${closes}`]
    : ['Closed', 'We are closed']
  const each = hasHours && from !== until ? 'each day ' : ''
  return { title: `${short} ${days}`, content: `${long} ${each}${days}. ${note}`.trim() }
}

function closedView(agentId: string, zone: string, { typed, faults, chosen }: Sent = {}): View {
  const { line, boxes } = fieldsOf({ typed: { open: 'closed', ...typed }, faults, chosen })
  const days = html`type="date" min="${dayOf(new Date(), zone)}" max="${lastDay}"`
  const fields = [
    line('from', 'First day', lastDay.length, `In the time zone ${zone}.`, html`${days} required`),
    line('until', 'Last day', lastDay.length, 'Leave it empty for one day.', days),
    boxes('radio', 'open', 'On these days', [
      ['closed', 'Closed all day'],
      ['hours', 'Open at other times'],
    ]),
    line('opens', 'Opens at', 'hh:mm'.length, false, html`type="time"`),
    line('closes', 'Closes at', 'hh:mm'.length, false, html`type="time"`),
    line('note', 'One more sentence', maxNote, 'Such as “In an emergency, call 555 0100”. You can leave it empty.', ''),
  ]
  const content = sheetForm(fields, 'Save', agentPage(agentId, 'documents'))
  return { title: 'Closed on …', lead: 'Callers are told at once, until these days have passed.', crumbs: [], content }
}

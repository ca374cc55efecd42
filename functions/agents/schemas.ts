import * as v from 'valibot'
import { described, fields, maxCharacters, printable, someOf } from '../../shared/http/input/fields.ts'
import type { AgentRow } from '../../shared/organizations/agents.ts'
import { holidays, timeZone, timeZoneOf } from '../../shared/organizations/time-zone.ts'

const ofTimeZone =
  'The IANA name of the business’s time zone, such as `Europe/Berlin`: “today” in a question is a day of this zone. `UTC` until one is chosen.'
const ofHolidays =
  'The ISO 3166 code of the country, or of its region such as `CA-ON`, whose public holidays the business has; null if unknown.'

/** Printable characters, not only white space. */
const printed = String.raw`[^\x00-\x1f\x7f-\x9f\u2028\u2029]`
const notBlank = String.raw`^${printed}*[^\s\x00-\x1f\x7f-\x9f]${printed}*$`

const settings = {
  name: v.pipe(v.string('must be a string'), v.trim(), printable(200), v.metadata({ pattern: notBlank })),
  time_zone: described(timeZone, ofTimeZone),
  holidays: described(v.nullable(holidays), ofHolidays),
}

export const createBody = v.pipe(
  fields({ ...settings, time_zone: v.optional(settings.time_zone), holidays: v.optional(settings.holidays) }),
  v.title('NewAgent'),
)

export const deletionQuery = fields({
  confirm: described(
    v.pipe(
      v.string('must be a string'),
      v.trim(),
      v.minLength(1, 'must not be empty'),
      maxCharacters(200),
      v.metadata({ examples: ['Night desk'] }),
    ),
    'The agent’s name, exactly, but for white space around it.',
  ),
})

export const updateBody = v.pipe(someOf(settings), v.metadata({ title: 'AgentUpdate', minProperties: 1 }))

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

export const agentSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.uuid()),
    name: v.string(),
    time_zone: described(v.string(), ofTimeZone),
    holidays: described(v.nullable(v.string()), ofHolidays),
    knowledge_base_enabled: described(
      v.boolean(),
      'True if search serves a completed revision of any document, so that the agent’s `knowledge_base` tool is on. Documents count before `valid_from` and after `valid_until`, too.',
    ),
    documents: described(
      v.strictObject({ pending: count, processing: count, completed: count, error: count }),
      'The number of documents by status.',
    ),
    embedding: described(
      v.strictObject({
        model: v.nullable(v.string()),
        next: v.nullable(
          v.strictObject({
            model: v.string(),
            embedded: count,
            total: count,
            waiting: described(v.nullable(v.string()), 'Why the change waits; null if it does not.'),
          }),
        ),
      }),
      'The embedding model that serves the agent, null before its first document. `next` is the model to which the agent is changing, with the number of chunks already embedded for it.',
    ),
    created_at: v.pipe(v.string(), v.isoTimestamp()),
  }),
  v.title('Agent'),
)

export const agentExample: v.InferOutput<typeof agentSchema> = {
  id: '01981f3d-02ab-7b3e-9d0c-6f2f8a4b7e10',
  name: 'Front desk',
  time_zone: 'Europe/London',
  holidays: 'GB-ENG',
  knowledge_base_enabled: true,
  documents: { pending: 1, processing: 0, completed: 12, error: 0 },
  embedding: { model: 'text-embedding-3-small', next: null },
  created_at: '2026-03-01T17:05:00.000Z',
}

export function toAgent(row: AgentRow) {
  return { ...row, time_zone: timeZoneOf(row) }
}

import * as v from 'valibot'
import { between, described, fields, isObject, listOf, maxCharacters, printable } from '../http/input/fields.ts'
import { metadataFilterAsJson } from '../http/input/metadata.ts'
import { time } from '../http/input/time.ts'
import { uuid } from '../ids.ts'
import { maxTurns } from './heard.ts'

export const query = v.pipe(
  v.string('must be a string'),
  v.minLength(1, 'must not be empty'),
  v.check((text) => text === '' || /\S/.test(text), 'must not be blank'),
  maxCharacters(8000),
  v.metadata({
    maxLength: 8000,
    pattern: '\\S',
    description: 'A question or search terms, as the caller said them.',
  }),
)

export const maxAlternatives = 9

export const alternatives = described(
  listOf(query, { items: 'texts', max: maxAlternatives }),
  'The speech recogniser’s other hypotheses of the same utterance. Needs `query`.',
)

export const history = described(
  listOf(query, { items: 'turns', max: maxTurns }),
  'The caller’s earlier turns in this call, oldest first. Their words count too, those of each turn half as much as those of the next. Needs `query`.',
)

export const maxSeen = 100

export const seen = described(
  listOf(uuid, { items: 'chunk ids', max: maxSeen }),
  'The `chunk_id`s that the call was given: they come behind others that have as many of the question’s words, so that “tell me more” finds something else. Their `score` stays the same, and without `query` the order, too.',
)

const asked = v.pipe(
  time,
  v.check((text) => text >= '1900' && text < '3000', 'must be in the years 1900 to 2999'),
)

export const asOf = described(
  asked,
  'The moment that “today” in the question means, in the agent’s `time_zone`, and at which documents must be valid. Default: now.',
)

/** A day, in `YYYY-MM-DD`. */
const day = v.pipe(v.string(), v.isoDate())

export const dates = described(
  v.array(v.strictObject({ said: v.string(), from: day, to: day })),
  'The days that the question names, in the agent’s `time_zone`: “this friday” on 24 December 2026 is 2026-12-25. Empty if it names none.',
)

export const searchModes = ['hybrid', 'semantic', 'keyword'] as const
export type Mode = (typeof searchModes)[number]

export const format = described(
  v.picklist(['markdown', 'speech'], 'must be markdown or speech'),
  '`speech` returns passages as they would be said: at most 600 characters around the best sentence, without Markdown. Table rows, items and headings become sentences; abbreviations and telephone numbers are spoken, in English and German. `markdown`, the default, returns whole passages.',
)
export type Format = v.InferOutput<typeof format>

/** Query parameters of the addresses that platforms call. */
export const platformQuery = fields({
  format: v.optional(format),
  document_metadata: v.optional(
    metadataFilterAsJson('Searches only documents whose metadata contains this JSON object. No model can change it.'),
  ),
})

export const callId = described(
  printable(255),
  'The call’s id on your platform. It is kept with the question, if your organization keeps its callers’ questions, and changes no answer.',
)

/** The call's id at this path of a platform's request; undefined if there is none that a search would take. */
export function callIdIn(sent: unknown, ...path: string[]): string | undefined {
  const found = path.reduce((outer, name) => (isObject(outer) ? outer[name] : undefined), sent)
  return v.is(callId, found) ? found : undefined
}

export const degraded = v.pipe(
  v.custom<'keyword_only' | null>(
    (value) => value === 'keyword_only' || value === null,
    'must be keyword_only or null',
  ),
  v.metadata({
    type: ['string', 'null'],
    enum: ['keyword_only', null],
    description:
      '`keyword_only` if the vector of the query was not available in time, so that only its words were searched.',
  }),
)

const armScore = (description: string) => described(v.nullable(v.number()), description)

export const source = v.pipe(
  v.strictObject({
    title: described(v.string(), 'The document’s title.'),
    url: described(
      v.nullable(v.string()),
      'The document’s `external_id`, if that is a web address, as a web page’s is.',
    ),
    page: described(
      v.nullable(v.union([v.string(), v.pipe(v.number(), v.integer(), v.minValue(1))])),
      'The number of a PDF’s page or of a slide, or the name of a sheet, on which the chunk begins.',
    ),
    heading: described(v.nullable(v.string()), 'The last of `headings` in `metadata`.'),
  }),
  v.metadata({ title: 'HitSource', description: 'The passage’s source, for the agent to name and a person to open.' }),
)
export type Source = v.InferOutput<typeof source>

export const hit = v.pipe(
  v.strictObject({
    chunk_id: v.pipe(v.string(), v.uuid()),
    document_id: v.pipe(v.string(), v.uuid()),
    document_title: v.string(),
    chunk_index: v.pipe(v.number(), v.integer(), v.minValue(0)),
    content: described(v.string(), 'A passage from inside a table or list has its header rows or lead-in above it.'),
    token_count: v.pipe(v.number(), v.integer(), v.minValue(0)),
    metadata: v.looseObject({}),
    score: v.pipe(
      v.number(),
      v.minValue(-1),
      v.maxValue(1),
      v.description(
        'In `semantic` the cosine similarity; in `hybrid` and `keyword` from 0 to 1, and comparable between queries of one agent. Hits come best first, except those that were `seen`.',
      ),
    ),
    scores: v.strictObject({
      semantic: armScore('Cosine similarity; null if meaning was not searched or did not find the chunk.'),
      keyword: armScore('By words, from 0 to 1; null if words were not searched or did not find the chunk.'),
    }),
    source,
  }),
  v.title('Hit'),
)
export type Hit = v.InferOutput<typeof hit>

const names = (description: string) => described(v.array(v.string()), description)

export const value = v.pipe(
  v.strictObject({
    text: v.string('must be a string'),
    row: names('The names of its row, outermost first: a group, say, and the row’s own.'),
    column: names('The names of its column, outermost first.'),
    chunk_id: uuid,
    confidence: described(between(0.5, 1), 'The share that is right among values with this kind of proof, 0.5 to 1.'),
  }),
  v.title('Value'),
)
export type Value = v.InferOutput<typeof value>

export const hitExample: Hit = {
  chunk_id: '01981f40-11c2-7d0a-8a55-0c9f2b7e4d33',
  document_id: '01981f3e-7f10-7c54-b1f5-3d1a5e0f9c21',
  document_title: 'Opening hours',
  chunk_index: 0,
  content: 'We are open Monday to Saturday, 9 to 18. On Sunday we are closed.',
  token_count: 19,
  metadata: { start: 0, end: 65, headings: [] },
  score: 0.866,
  scores: { semantic: 0.686, keyword: 0.777 },
  source: { title: 'Opening hours', url: null, page: null, heading: null },
}

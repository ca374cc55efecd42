import * as v from 'valibot'
import { between, described, fields, integer, listOf } from '../../shared/http/input/fields.ts'
import { time } from '../../shared/http/input/time.ts'
import { cursorParameter, pageLimit } from '../../shared/http/pagination.ts'
import { uuid } from '../../shared/ids.ts'
import type { KeptQuestion } from '../../shared/questions/questions.ts'
import { levels } from '../../shared/retrieval/answerable.ts'
import { callId, degraded, hitExample, query, searchModes, value } from '../../shared/retrieval/schemas.ts'

export const listQuery = fields({
  call_id: v.optional(described(callId, 'Only questions of this call.')),
  answered: v.optional(
    v.pipe(
      v.picklist(['true', 'false'], 'must be true or false'),
      v.transform((text) => text === 'true'),
      v.description('`true`: only questions whose `status` is `found`; `false`: only the others.'),
    ),
  ),
  from: v.optional(described(time, 'Only questions asked at this time or later.')),
  to: v.optional(described(time, 'Only questions asked before this time.')),
  limit: pageLimit(),
  cursor: cursorParameter,
})

/** A whole number that the database can store. */
const index = integer(0, 2 ** 31 - 1)

const keptHit = {
  document_id: uuid,
  revision: described(index, 'The revision of the document that was served then.'),
  chunk_index: index,
  score: between(-1, 1),
}

export const questionSchema = v.pipe(
  v.strictObject({
    id: uuid,
    asked_at: v.pipe(v.string(), v.isoTimestamp()),
    question: described(v.string(), 'Its first 500 characters.'),
    call_id: described(v.nullable(v.string()), 'The call’s id on its platform, if it was given.'),
    mode: v.picklist(searchModes, `must be one of ${searchModes.join(', ')}`),
    degraded,
    answerable: between(0, 1),
    status: described(v.picklist(levels, `must be one of ${levels.join(', ')}`), 'As the caller’s agent got it.'),
    value: described(v.nullable(value), 'The table cell that answered; null without one.'),
    milliseconds: described(index, 'The time from the request’s arrival to its answer.'),
    hits: described(
      v.array(v.strictObject(keptHit)),
      'The hits that the caller’s agent got, best first. A document may have been deleted since.',
    ),
  }),
  v.title('Question'),
)

export const questionExample: v.InferOutput<typeof questionSchema> = {
  id: '01981f4a-5be2-7c11-9a0e-4f6b1c2d3e58',
  asked_at: '2026-03-02T09:41:07.318Z',
  question: 'Are you open on Sunday?',
  call_id: '3c90c3cc-0d44-4b50-8888-8dd25736052a',
  mode: 'hybrid',
  degraded: null,
  answerable: 0.979,
  status: 'found',
  value: null,
  milliseconds: 38,
  hits: [{ document_id: '01981f3e-7f10-7c54-b1f5-3d1a5e0f9c21', revision: 1, chunk_index: 0, score: 0.866 }],
}

const maxSkewMinutes = 5
/** Characters of JSON: a value is part of a table of at most 8,000 characters. */
const maxValue = 10_000
const names = listOf(v.string('must be a string'), { items: 'names', max: 20 })

/** One unknown field is reported: those of 5,000 hits would take seconds and hundreds of MB. */
const reportedHit = fields({ chunk_id: uuid, ...keptHit }, 'must be an object', 1)

const reportedQuestion = v.pipe(
  fields({
    ...questionSchema.entries,
    id: described(
      uuid,
      'Made when the question was asked: questions are listed in the order of their ids, so it should be a UUID of version 7.',
    ),
    asked_at: described(
      v.pipe(
        time,
        v.check(
          (at) => Date.parse(at) <= Date.now() + maxSkewMinutes * 60_000,
          `must be at most ${maxSkewMinutes} minutes in the future`,
        ),
      ),
      `At most ${maxSkewMinutes} minutes in the future, for clocks that are ahead.`,
    ),
    question: described(query, 'Its first 500 characters are kept.'),
    call_id: v.optional(callId),
    value: described(
      v.nullable(
        v.pipe(
          fields({ ...value.entries, row: names, column: names }),
          v.check(
            (cell) => JSON.stringify(cell).length <= maxValue,
            `must have at most ${maxValue} characters of JSON`,
          ),
        ),
      ),
      `The table cell that answered, of at most ${maxValue} characters of JSON; null without one.`,
    ),
    milliseconds: described(index, 'The time that the answer took.'),
    hits: described(
      listOf(reportedHit, { items: 'hits', max: 50 }),
      'The hits that the caller’s agent got, best first.',
    ),
  }),
  v.title('ReportedQuestion'),
)
export type ReportedQuestion = v.InferOutput<typeof reportedQuestion>

export const batchBody = v.pipe(
  fields({ questions: listOf(reportedQuestion, { items: 'questions', min: 1, max: 100 }) }),
  v.title('ReportedQuestions'),
)

export const batchExample: v.InferInput<typeof batchBody> = {
  questions: [
    {
      ...questionExample,
      call_id: '3c90c3cc-0d44-4b50-8888-8dd25736052a',
      hits: questionExample.hits.map((hit) => ({ chunk_id: hitExample.chunk_id, ...hit })),
    },
  ],
}

export const batchResponse = v.strictObject({
  kept: described(v.pipe(v.number(), v.integer(), v.minValue(0)), 'The number of these questions that are kept.'),
})

export function toQuestion(kept: KeptQuestion): v.InferOutput<typeof questionSchema> {
  const { is_degraded, is_wrong, asked_at, hits, ...question } = kept
  return {
    ...question,
    asked_at: asked_at.toISOString(),
    degraded: is_degraded ? 'keyword_only' : null,
    hits: hits.map(({ chunk_id, ...hit }) => hit),
  }
}

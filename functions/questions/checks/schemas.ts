import * as v from 'valibot'
import type { Result } from '../../../shared/checks/check.ts'
import type { KeptCheck } from '../../../shared/checks/store.ts'
import { described, fields, integer, maxCharacters, someOf } from '../../../shared/http/input/fields.ts'
import { time } from '../../../shared/http/input/time.ts'
import { documentId } from '../../../shared/ids.ts'
import { history, hit, hitExample, query } from '../../../shared/retrieval/schemas.ts'

const expects = v.pipe(
  fields({
    document_id: v.optional(described(documentId, 'The document of the expected passage.')),
    words: v.optional(
      v.pipe(
        v.string('must be a string'),
        v.regex(/\S/, 'must not be blank'),
        maxCharacters(1000),
        v.description('Words that the expected passage has, whatever their case and white space.'),
      ),
    ),
    value: v.optional(
      v.pipe(
        v.nullable(
          v.pipe(v.string('must be a string or null'), v.regex(/\S/, 'must not be blank'), maxCharacters(1000)),
        ),
        v.description(
          'The text of the answer’s `value`, whatever its case and white space; null if it should have none.',
        ),
      ),
    ),
    nothing: v.optional(described(v.literal(true, 'must be true'), 'Expects a `status` other than `found`.')),
  }),
  v.check(
    ({ nothing, ...answer }) => (nothing === true) !== Object.keys(answer).length > 0,
    'must have `document_id`, `words` or `value`, or else `nothing`',
  ),
  v.description('The expected passage and value, or `{ "nothing": true }`.'),
)

const settings = {
  question: query,
  history,
  expects,
  within: described(integer(1, 10), 'The number of best hits among which the passage must be.'),
  on_failure: described(
    v.picklist(['warn', 'block'], 'must be warn or block'),
    'The effect on a change that would make the question fail: `warn` makes the change and adds to the document’s `warnings`; `block` prevents it.',
  ),
  as_of: v.nullable(
    described(
      time,
      'The time as of which the question is asked; null for the time of the check. Required for a question with a day relative to now, such as “tomorrow”; “on Sunday” without it means any Sunday, with its usual hours.',
    ),
  ),
}

export const createBody = v.pipe(
  fields({
    ...settings,
    history: v.optional(history, []),
    within: v.optional(settings.within, 3),
    on_failure: v.optional(settings.on_failure, 'warn'),
    as_of: v.optional(settings.as_of, null),
  }),
  v.title('NewGoldenQuestion'),
)

export const updateBody = v.pipe(someOf(settings), v.metadata({ title: 'GoldenQuestionUpdate', minProperties: 1 }))

const rank = described(
  v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1))),
  'The place of the expected passage, from 1; null if it is not among the first `within`, or none is expected.',
)

export const checkSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.uuid()),
    question: v.string(),
    history: v.array(v.string()),
    expects: v.strictObject({
      document_id: v.optional(v.pipe(v.string(), v.uuid())),
      words: v.optional(v.string()),
      value: v.optional(v.nullable(v.string())),
      nothing: v.optional(v.literal(true)),
    }),
    within: v.pipe(v.number(), v.integer()),
    on_failure: v.picklist(['warn', 'block']),
    as_of: v.nullable(v.pipe(v.string(), v.isoTimestamp())),
    last_result: v.nullable(
      v.strictObject({ passed: v.boolean(), rank, checked_at: v.pipe(v.string(), v.isoTimestamp()) }),
    ),
  }),
  v.title('GoldenQuestion'),
)

export const checkExample: v.InferOutput<typeof checkSchema> = {
  id: '01981f52-3c10-7a4e-8b6f-2d9e0a7c5b14',
  question: 'Are you open on Sunday?',
  history: [],
  expects: { document_id: '01981f3e-7f10-7c54-b1f5-3d1a5e0f9c21', words: 'On Sunday we are closed' },
  within: 3,
  on_failure: 'block',
  as_of: null,
  last_result: { passed: true, rank: 1, checked_at: '2026-03-02T10:02:11.904Z' },
}

const resultSchema = v.strictObject({
  golden_question_id: v.pipe(v.string(), v.uuid()),
  passed: v.boolean(),
  rank,
  first: described(
    v.nullable(hit),
    'The best hit, its `content` cut after 8,000 characters; null if nothing was found.',
  ),
})

export const runResponse = v.strictObject({ data: v.array(resultSchema) })
export const runExample: v.InferOutput<typeof runResponse> = {
  data: [{ golden_question_id: checkExample.id, passed: true, rank: 1, first: hitExample }],
}

export function toCheck(row: KeptCheck): v.InferOutput<typeof checkSchema> {
  const { id, question, history, within, on_failure, document_id, words, value, passed, rank, checked_at } = row
  return {
    id,
    question,
    history,
    within,
    on_failure,
    as_of: row.as_of?.toISOString() ?? null,
    expects: {
      ...(document_id && { document_id }),
      ...(words && { words }),
      ...(row.expects_value && { value }),
      ...(row.expects_nothing && { nothing: true }),
    },
    last_result: passed === null ? null : { passed, rank, checked_at: checked_at!.toISOString() },
  }
}

type Expected = v.InferOutput<typeof expects>

export function toInput<Body extends { expects?: Expected | undefined }>({ expects, ...body }: Body) {
  return { ...body, ...(expects && toColumns(expects)) } as Omit<Body, 'expects'> &
    (Body extends { expects: Expected } ? ReturnType<typeof toColumns> : Partial<ReturnType<typeof toColumns>>)
}

function toColumns({ document_id, words, value, nothing }: Expected) {
  return {
    document_id: document_id ?? null,
    words: words ?? null,
    value: value ?? null,
    expects_value: value !== undefined,
    expects_nothing: nothing ?? false,
  }
}

const maxShown = 8000

export function toResult({ question, passed, rank, hits: [first] }: Result): v.InferOutput<typeof resultSchema> {
  const { revision: _, ...hit } = first ?? { revision: 0 }
  const shown = first && {
    ...(hit as Omit<typeof first, 'revision'>),
    content: first.content.slice(0, maxShown).toWellFormed(),
  }
  return { golden_question_id: question.id, passed, rank, first: shown ?? null }
}

import * as v from 'valibot'
import { described, fields } from '../../shared/http/input/fields.ts'
import { time } from '../../shared/http/input/time.ts'
import { cursorParameter, pageLimit } from '../../shared/http/pagination.ts'
import type { KeptQuestion } from '../../shared/questions/questions.ts'
import { levels } from '../../shared/retrieval/answerable.ts'
import { callId, degraded, searchModes, value } from '../../shared/retrieval/schemas.ts'

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

const index = v.pipe(v.number(), v.integer(), v.minValue(0))

export const questionSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.uuid()),
    asked_at: v.pipe(v.string(), v.isoTimestamp()),
    question: described(v.string(), 'Its first 500 characters.'),
    call_id: described(v.nullable(v.string()), 'The call’s id on its platform, if it was given.'),
    mode: v.picklist(searchModes),
    degraded,
    answerable: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
    status: described(v.picklist(levels), 'As the caller’s agent got it.'),
    value: described(v.nullable(value), 'The table cell that answered; null without one.'),
    milliseconds: described(index, 'The time from the request’s arrival to its answer.'),
    hits: described(
      v.array(
        v.strictObject({
          document_id: v.pipe(v.string(), v.uuid()),
          revision: described(index, 'The revision of the document that was served then.'),
          chunk_index: index,
          score: v.pipe(v.number(), v.minValue(-1), v.maxValue(1)),
        }),
      ),
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

export function toQuestion(kept: KeptQuestion): v.InferOutput<typeof questionSchema> {
  const { is_degraded, is_wrong, asked_at, hits, ...question } = kept
  return {
    ...question,
    asked_at: asked_at.toISOString(),
    degraded: is_degraded ? 'keyword_only' : null,
    hits: hits.map(({ chunk_id, ...hit }) => hit),
  }
}

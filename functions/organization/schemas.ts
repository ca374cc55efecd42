import * as v from 'valibot'
import { fields } from '../../shared/http/input/fields.ts'
import type { Usage } from '../../shared/organizations/limits.ts'

export const updateBody = v.pipe(
  fields({ auto_delete_done_calls: v.boolean('must be true or false') }),
  v.title('OrganizationUpdate'),
)

export const organizationSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.uuid()),
    name: v.string(),
    auto_delete_done_calls: v.boolean(),
    created_at: v.pipe(v.string(), v.isoTimestamp()),
  }),
  v.title('Organization'),
)

export const organizationExample: v.InferOutput<typeof organizationSchema> = {
  id: '01981f3c-5d21-7f6e-a0b4-9e8d7c6b5a40',
  name: 'Pedal & Pine',
  auto_delete_done_calls: true,
  created_at: '2026-03-01T17:00:00.000Z',
}

const count = (description: string) => v.pipe(v.number(), v.integer(), v.minValue(0), v.description(description))

export const usageSchema = v.pipe(
  v.strictObject({
    limits: v.strictObject({
      requests_per_second: count('The rate that holds in the long run.'),
      request_burst: count('The requests allowed at once, before the rate holds.'),
      tokens_per_day: count('Past this, documents wait for the next day, and a hybrid search answers by words only.'),
      documents_in_pipeline: count('Documents pending or processing. Past this, new ones are 429 `rate_limited`.'),
      stored_bytes: count(
        'Files, texts, and 7,000 bytes for each chunk. Past this, adding is 422 `validation_failed`.',
      ),
    }),
    use: v.strictObject({
      requests_today: count('The requests that the rate limit did not reject.'),
      tokens_today: count('The tokens of documents and questions.'),
      documents_in_pipeline: count('The documents that are pending or processing now.'),
      stored_bytes: count('What is stored of documents, those in the trash included.'),
    }),
  }),
  v.title('Usage'),
)

export const usageExample: Usage = {
  limits: {
    requests_per_second: 50,
    request_burst: 200,
    tokens_per_day: 50_000_000,
    documents_in_pipeline: 10_000,
    stored_bytes: 10_000_000_000,
  },
  use: { requests_today: 1824, tokens_today: 96_410, documents_in_pipeline: 2, stored_bytes: 21_480_512 },
}

import * as v from 'valibot'
import { fields } from '../../shared/http/input/fields.ts'

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

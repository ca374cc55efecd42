import * as v from 'valibot'

export const updateBody = v.strictObject({ auto_delete_done_calls: v.boolean('must be true or false') })

export const organizationSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.uuid()),
    name: v.string(),
    auto_delete_done_calls: v.boolean(),
    created_at: v.pipe(v.string(), v.isoTimestamp()),
  }),
  v.title('Organization'),
)

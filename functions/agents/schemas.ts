import * as v from 'valibot'
import { fields } from '../../shared/http/input/fields.ts'
import { cursorParameter, limitUpTo } from '../../shared/http/pages.ts'
import { agentId } from '../../shared/ids.ts'

export const listQuery = fields({ limit: limitUpTo(100), cursor: cursorParameter })

/** What the list of agents is sorted by: the id. */
export const sortKey = v.strictTuple([agentId])

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

export const agentSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.uuid()),
    name: v.string(),
    knowledge_base_enabled: v.pipe(
      v.boolean(),
      v.description(
        'Whether any document has a completed revision that search serves, so that the agent’s `knowledge_base` tool is on. Documents count before `valid_from` and after `valid_until`, too.',
      ),
    ),
    documents: v.pipe(
      v.strictObject({ pending: count, processing: count, completed: count, error: count }),
      v.description('How many documents there are, by status.'),
    ),
    created_at: v.pipe(v.string(), v.isoTimestamp()),
  }),
  v.title('Agent'),
)

export const agentExample: v.InferOutput<typeof agentSchema> = {
  id: '01981f3d-02ab-7b3e-9d0c-6f2f8a4b7e10',
  name: 'Front desk',
  knowledge_base_enabled: true,
  documents: { pending: 1, processing: 0, completed: 12, error: 0 },
  created_at: '2026-03-01T17:05:00.000Z',
}

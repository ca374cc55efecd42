import * as v from 'valibot'
import { agentId, documentId } from '../../shared/ids.ts'
import { cursorParameter, limitUpTo } from '../../shared/pages.ts'
import { statuses } from './document.ts'

const contentLimit = 4 * 1024 * 1024

const title = v.pipe(
  v.string('must be a string'),
  v.trim(),
  v.minLength(1, 'must not be empty'),
  v.check((text) => [...text.slice(0, 1002)].length <= 500, 'must have at most 500 characters'),
)
const content = v.pipe(
  v.string('must be a string'),
  v.regex(/\S/u, 'must hold at least one character that is no space'),
  v.check((text) => Buffer.byteLength(text) <= contentLimit, `must have at most ${contentLimit} bytes of UTF-8`),
)

export const agentPath = v.object({ agentId })
export const documentPath = v.object({ agentId, documentId })

export const listQuery = v.strictObject({
  status: v.optional(v.picklist(statuses, `must be one of ${statuses.join(', ')}`)),
  limit: limitUpTo(100),
  cursor: cursorParameter,
})

export const createBody = v.strictObject({ title, content: v.optional(content) })

export const updateBody = v.pipe(
  v.strictObject({
    title: v.optional(title),
    content: v.optional(content),
    status: v.optional(
      v.picklist(['pending', 'completed'], 'must be pending (process again) or completed (chunks are uploaded)'),
    ),
  }),
  v.check((body) => Object.keys(body).length > 0, 'must hold at least one of title, content, status'),
)

export type CreateInput = v.InferOutput<typeof createBody>
export type UpdateInput = v.InferOutput<typeof updateBody>

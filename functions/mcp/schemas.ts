import * as v from 'valibot'
import { anyObject, described, fields, listOf } from '../../shared/http/input/fields.ts'
import type { DocumentId } from '../../shared/ids.ts'
import { alternatives, format, history, maxSeen, query } from '../../shared/retrieval/schemas.ts'

const rpcVersion = v.literal('2.0', 'must be "2.0"')
const maxLabel = 1000
const rpcId = v.union(
  [v.pipe(v.string(), v.maxLength(maxLabel)), v.pipe(v.number(), v.integer())],
  `must be a string of at most ${maxLabel} characters or an integer`,
)

const params = v.pipe(
  anyObject,
  v.check(
    ({ name }) => typeof name !== 'string' || name.length <= maxLabel,
    `must have a name of at most ${maxLabel} characters`,
  ),
  v.metadata({ type: 'object' }),
)

/** A request or, without an `id`, a notification. The protocol's library checks its parameters. */
export const message = v.pipe(
  fields(
    {
      jsonrpc: rpcVersion,
      id: v.optional(rpcId),
      method: v.pipe(v.string('must be a string'), v.maxLength(maxLabel, `must have at most ${maxLabel} characters`)),
      params: v.optional(params),
    },
    'must be an object: one message a request',
  ),
  v.title('McpMessage'),
)
export type Message = v.InferOutput<typeof message>

/** The field of a request's `_meta` that holds the call's id. */
export const callIdKey = 'dev.cuecard/call_id'

export const callHeader = v.object({
  'x-call-id': v.optional(
    described(
      v.string(),
      `The call’s id, as Vapi sends it. It is kept with the question, if questions are kept. \`_meta["${callIdKey}"]\` takes precedence.`,
    ),
  ),
})

const rpcError = v.strictObject({
  code: v.pipe(v.number(), v.integer()),
  message: v.string(),
  data: v.optional(v.looseObject({})),
})

export const response = v.pipe(
  v.strictObject({
    jsonrpc: rpcVersion,
    id: rpcId,
    result: v.optional(v.looseObject({})),
    error: v.optional(rpcError),
  }),
  v.title('McpResponse'),
)

export const responseExample = {
  jsonrpc: '2.0',
  id: 1,
  result: {
    content: [{ type: 'text', text: '{"status":"found","results":[…]}' }],
    structuredContent: {
      status: 'found',
      results: [
        {
          id: '01981f3e-7f10-7c54-b1f5-3d1a5e0f9c21#0',
          title: 'Opening hours',
          url: 'https://api.example.com/v1/agents/01981f3d-02ab-7b3e-9d0c-6f2f8a4b7e10/knowledge-base/01981f3e-7f10-7c54-b1f5-3d1a5e0f9c21',
          text: 'On Sunday we are closed.',
          source: { title: 'Opening hours', url: null, page: null, heading: null },
        },
      ],
    },
  },
}

export const errorResponse = v.pipe(
  v.strictObject({
    jsonrpc: rpcVersion,
    id: v.optional(v.nullable(v.union([v.string(), v.number()]))),
    error: rpcError,
  }),
  v.title('McpError'),
)

export const invalidRequest = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32000, message: 'Bad Request: Unsupported protocol version: 2023-01-01' },
}
export const methodNotFound = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } }

/** An id of a document, or of a passage of it (`document#index`), as `search` returns and `fetch` takes it. */
const passageId = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:#(\d{1,7}))?$/i

export const searchArguments = fields({
  query,
  alternatives: v.optional(alternatives),
  format: v.optional(format),
  history: v.optional(history),
  seen: v.optional(
    listOf(v.pipe(v.string(), v.regex(passageId, 'must be an id from a result'), v.toLowerCase()), {
      items: 'ids',
      max: maxSeen,
    }),
  ),
})

export type SearchArguments = v.InferOutput<typeof searchArguments>

export interface Place {
  documentId: DocumentId
  /** The chunk's index; undefined for the document from its beginning. */
  index: number | undefined
}

/** Undefined if no document or passage can have this id. */
export function placeOf(id: string): Place | undefined {
  const [, documentId, index] = passageId.exec(id) ?? []
  if (documentId === undefined) return undefined
  return {
    documentId: documentId.toLowerCase() as DocumentId,
    index: index === undefined ? undefined : Number(index),
  }
}

export function idOf(documentId: string, index: number): string {
  return `${documentId}#${index}`
}

export const fetchArguments = fields({ id: v.pipe(v.string('must be a string'), v.trim()) })

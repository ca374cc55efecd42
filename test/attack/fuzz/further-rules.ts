import type { Answer } from '../../support/stand.ts'
import type { Sent } from './send.ts'

interface Rule {
  operations: RegExp
  /** Whether the answer is this rule's. */
  applies: (answer: Answer, sent: Sent) => boolean
  /** Where the document says so in words, which no schema could. */
  why: string
}

const refuses = (status: number, place: RegExp, code?: string) => (answer: Answer) =>
  answer.status === status &&
  (answer.body?.errors ?? []).every(
    (fault: Record<string, string>) =>
      place.test(fault.pointer ?? fault.parameter ?? fault.header ?? '') && (!code || fault.code === code),
  )

/** What else the document asks of a request, in its descriptions. */
const rules: Rule[] = [
  {
    operations: /^list/,
    applies: (answer, { query, event }) =>
      query.some(([name]) => name === 'cursor') &&
      (event.requestContext.http.method === 'HEAD' ? answer.status === 400 : answer.body?.code === 'invalid_cursor'),
    why: 'a cursor is the `next_cursor` of a page of the same list with the same filters',
  },
  {
    operations: /^listChunks$/,
    applies: refuses(400, /^(limit|encoding)$/),
    why: '`limit` is at most 20 with embeddings as numbers, `encoding` comes with `include=embedding`',
  },
  {
    operations: /^(create|update)Document$/,
    applies: refuses(422, /^\/title$/),
    why: 'the length of a title counts after trimming',
  },
  {
    operations: /^createChunks$/,
    applies: refuses(422, /^\/chunks\/\d+\/(embedding|metadata|chunk_index)/),
    why: 'an embedding has 1536 numbers of a norm from 1e-6 to 1e6, metadata its limits, and an index is unique in its batch',
  },
  {
    operations: /^search$/,
    applies: refuses(422, /^(|\/query|\/embedding.*|\/metadata.*)$/),
    why: 'it takes `query`, `embedding` or both as `mode` says; an embedding and metadata have their limits',
  },
  {
    operations: /^answerVapi$/,
    applies: ({ status }) => status === 200,
    why: 'Vapi ignores any other status: what went wrong is an `error` in one that is',
  },
  {
    operations: /^answerRetell$/,
    applies: ({ status, body }) => status === 200 && typeof body === 'string',
    why: 'a call of Retell may hold any field, and one without a question is told so in the answer',
  },
  {
    operations: /^answerRetell$/,
    applies: ({ status, body }) => status === 401 && body?.code === 'invalid_signature',
    why: 'an agent with a secret takes signed calls alone, as the second one has',
  },
  {
    operations: /^answerMcp$/,
    applies: ({ status, body }) => status === 202 || body?.jsonrpc === '2.0',
    why: 'what the protocol does not allow is said in JSON-RPC',
  },
]

/** The further rule of the document that an answer follows. */
export function furtherRule(sent: Sent, answer: Answer): string | undefined {
  return rules.find(({ operations, applies }) => operations.test(sent.request.operation.id) && applies(answer, sent))
    ?.why
}

import type { Answer } from '../../support/stand/stand.ts'
import type { Sent } from './send.ts'

const refuses = (status: number, place: RegExp, code?: string) => (answer: Answer) =>
  answer.status === status &&
  (answer.body?.errors ?? []).every(
    (fault: Record<string, string>) =>
      place.test(fault.pointer ?? fault.parameter ?? fault.header ?? '') && (!code || fault.code === code),
  )

/** Rules that the document states in words, because no schema could: operations, and whether an answer follows from the rule. */
const rules: [operations: RegExp, applies: (answer: Answer, sent: Sent) => boolean][] = [
  // A cursor is the `next_cursor` of a page of the same list with the same filters.
  [
    /^list/,
    ({ status, body }, { query, event }) =>
      query.some(([name]) => name === 'cursor') &&
      (event.requestContext.http.method === 'HEAD' ? status === 400 : body?.code === 'invalid_cursor'),
  ],
  // `limit` is at most 20 with embeddings as numbers, `encoding` comes with `include=embedding`.
  [/^listChunks$/, refuses(400, /^(limit|encoding)$/)],
  // The length of a title counts after trimming.
  [/^(create|update|put)Document$/, refuses(422, /^\/title$/)],
  // An external id in the body is that of the path.
  [/^putDocument$/, refuses(422, /^\/external_id$/)],
  [/^createDocuments$/, refuses(422, /^\/documents\/\d+\/title$/)],
  // Few documents have the external id that a request names.
  [/ByExternalId$/, ({ status, body }) => status === 404 && (!body || body.code === 'document_not_found')],
  // A golden question expects a passage or nothing; its document is one of the agent’s.
  [/^(create|update)GoldenQuestion$/, refuses(422, /^\/expects/)],
  [/^(create|update)GoldenQuestion$/, ({ body }) => body?.code === 'document_not_found'],
  // An address must be public, and an organization has 10 webhooks.
  [/^createWebhook$/, ({ status }) => status === 422],
  [/^updateWebhook$/, refuses(422, /^\/url$/)],
  // An address must be public, a path must begin with /, and an organization has 20 sources.
  [/^createSource$/, ({ status }) => status === 422],
  [/^updateSource$/, refuses(422, /^\/(include|exclude)/)],
  // Search never served the revision, or it is no longer kept.
  [/^(get|restore)Revision$/, ({ status, body }) => status === 404 && (!body || body.code === 'revision_not_found')],
  // An embedding has 1536 numbers of a norm from 1e-6 to 1e6, metadata its limits, and an index is unique in its batch.
  [/^createChunks$/, refuses(422, /^\/chunks\/\d+\/(embedding|metadata|chunk_index)/)],
  // It takes `query`, `embedding` or both as `mode` says, and `alternatives` and `history` with `query` only.
  [/^search$/, refuses(422, /^(|\/query|\/alternatives|\/history|\/embedding.*|\/(document_)?metadata.*)$/)],
  // A question was not asked in the future, and the JSON of its value is limited.
  [/^reportQuestions$/, refuses(422, /^\/questions\/\d+\/(asked_at|value)$/)],
  // Nobody guesses the agent's name.
  [/^deleteAgent$/, ({ body }) => body?.code === 'confirmation_mismatch'],
  // `wait` comes with `since`, and a cursor without it; few versions are the agent's.
  [/^getSnapshot$/, refuses(400, /^(wait|cursor)$/)],
  [/^getSnapshot$/, ({ status }) => status === 410],
  // Vapi ignores any status but 200, so `error` in a 200 reports faults.
  [/^answerVapi$/, ({ status }) => status === 200],
  // Retell's call may have any field. The answer to a call without a question says so.
  [/^answerRetell$/, ({ status, body }) => status === 200 && typeof body === 'string'],
  // An agent with a secret, as the second one, takes only signed calls.
  [/^answerRetell$/, ({ status, body }) => status === 401 && body?.code === 'invalid_signature'],
  // JSON-RPC reports violations of the protocol itself.
  [/^answerMcp$/, ({ status, body }) => status === 202 || body?.jsonrpc === '2.0'],
]

/** True if a further rule of the document explains the answer. */
export function followsFurtherRule(sent: Sent, answer: Answer): boolean {
  return rules.some(([operations, applies]) => operations.test(sent.request.operation.id) && applies(answer, sent))
}

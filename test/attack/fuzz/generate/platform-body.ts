import fc from 'fast-check'
import { oddValues } from './faulty.ts'
import { anyJson, text } from './valid.ts'

const question = fc.oneof(
  fc.constantFrom('where can I park', 'on Sunday?', '<mine.mark>', '<theirs.mark>', ''),
  text(0, 80),
)
/** Mostly the platform's own value, else any other. */
const mostly = (sound: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 6, arbitrary: sound }, { weight: 1, arbitrary: oddValues }, { weight: 1, arbitrary: anyJson })
const loose = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, mostly(value)])), {
    requiredKeys: [],
  })

const id = fc.constantFrom<unknown>(1, 0, -1, 'a', '', '__proto__', 2 ** 53, '1'.repeat(5000))
const documentId = fc
  .tuple(
    fc.constantFrom(
      ...'<mine.completed> <mine.own> <mine.empty> <mine.deleted> <theirs.completed> <theirs.own> <never.id> 0'.split(
        ' ',
      ),
    ),
    fc.constantFrom('', '#0', '#1', '#9999999', '#-1', '#0#0', ' '),
  )
  .map((parts) => parts.join(''))
const tool = fc.oneof(
  fc.record({ name: mostly(fc.constant('search')), arguments: loose({ query: question }) }),
  fc.record({ name: mostly(fc.constant('fetch')), arguments: loose({ id: documentId }) }),
  fc.record({ name: mostly(text(0, 20)), arguments: mostly(anyJson) }),
)
const clientMeta = fc.constant({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
})
const initialize = loose({
  protocolVersion: fc.constantFrom('2025-06-18', '2024-11-05', '2026-07-28', '1999-01-01'),
  capabilities: fc.constant({}),
  clientInfo: fc.constant({ name: 'fuzz', version: '1' }),
})
const methods = [
  ...'initialize ping tools/list tools/call resources/list resources/read prompts/get'.split(' '),
  ...'completion/complete logging/setLevel server/discover subscriptions/listen'.split(' '),
  ...'notifications/initialized notifications/cancelled sampling/createMessage tasks/get __proto__'.split(' '),
  ...['constructor', ''],
]

const rpc = { jsonrpc: fc.constant('2.0'), id }
const mcpBody = fc.oneof(
  { weight: 5, arbitrary: fc.record({ ...rpc, method: fc.constant('tools/call'), params: withMeta(tool) }) },
  { weight: 2, arbitrary: fc.record({ ...rpc, method: fc.constant('initialize'), params: withMeta(initialize) }) },
  { weight: 3, arbitrary: fc.record({ ...rpc, method: fc.constantFrom(...methods), params: withMeta(tool) }) },
  { weight: 2, arbitrary: loose({ ...rpc, method: fc.constantFrom(...methods), params: tool }) },
  fc.record({ ...rpc, result: anyJson }),
  fc.array(fc.constant({ jsonrpc: '2.0', id: 1, method: 'ping' }), { maxLength: 3 }),
)

function withMeta(params: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc
    .tuple(params, fc.option(mostly(clientMeta), { freq: 1 }))
    .map(([made, _meta]) => (_meta === null ? made : { ...made, _meta }))
}

const mcpHeaders = fc.record(
  {
    'mcp-protocol-version': fc.constantFrom('2025-06-18', '2025-11-25', '2026-07-28', '2024-10-07', '1999-01-01', 'x'),
    'mcp-method': fc.constantFrom('tools/call', 'tools/list', 'x'),
    'mcp-name': fc.constantFrom('search', 'fetch', '=?base64?eA==?='),
    'mcp-session-id': fc.constantFrom('x', '<theirs.agent>'),
    'last-event-id': fc.constant('1'),
    accept: fc.constantFrom('application/json, text/event-stream', 'text/event-stream', 'text/html', '*/*'),
    origin: fc.constantFrom('https://evil.example', 'null'),
  },
  { requiredKeys: [] },
)

const turn = loose({
  role: fc.constantFrom('user', 'bot', 'system', 'tool_calls'),
  message: question,
  content: fc.oneof(
    question,
    fc.array(loose({ type: fc.constantFrom('text', 'image_url'), text: question }), { maxLength: 3 }),
  ),
})
const vapiCall = loose({
  id: text(0, 10),
  name: fc.constant('search'),
  arguments: fc.oneof(
    loose({ query: question }),
    loose({ query: question }).map((args) => JSON.stringify(args)),
    text(0, 10),
  ),
  function: loose({
    name: fc.constantFrom('search_knowledge_base', 'knowledge_base', 'search', 'other'),
    arguments: fc.oneof(loose({ query: question }), loose({ a: question, b: question })),
    parameters: loose({ query: question }),
  }),
})
const vapiBody = loose({
  message: fc.oneof(
    fc.record(
      {
        type: fc.constant('knowledge-base-request'),
        messages: mostly(fc.array(mostly(turn), { maxLength: 6 })),
        messagesOpenAIFormatted: mostly(fc.array(turn, { maxLength: 3 })),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constant('tool-calls'), toolCallList: mostly(fc.array(mostly(vapiCall), { maxLength: 12 })) },
      { requiredKeys: ['type'] },
    ),
    fc.record({
      type: mostly(fc.constantFrom('status-update', 'end-of-call-report', 'assistant-request', 'tool-calls')),
      call: anyJson,
    }),
  ),
})

const retellBody = fc.oneof(
  loose({
    name: fc.constant('search'),
    call: loose({ call_id: text(0, 10), transcript: question, transcript_object: fc.array(turn, { maxLength: 3 }) }),
    args: fc.oneof(loose({ query: question }), loose({ a: question, b: question }), text(0, 10)),
  }),
  loose({ query: question }),
  fc.dictionary(text(1, 5), anyJson, { maxKeys: 3 }),
)
const retellHeaders = fc.record(
  {
    'x-retell-signature': fc.oneof(
      fc.constantFrom('', 'v=1,d=00', `v=${'9'.repeat(40)},d=${'a'.repeat(64)}`, 'd=a,v=1', 'v=,d=', 'v=1;d=2'),
      fc.stringMatching(/^[ -~]{0,40}$/),
    ),
  },
  { requiredKeys: [] },
)

/** The requests of platforms by operation, some of them faulty. */
export const platformRequests: Record<string, fc.Arbitrary<{ body: unknown; headers: Record<string, string> }>> = {
  answerMcp: fc.record({
    body: mcpBody,
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, mcpHeaders as fc.Arbitrary<Record<string, string>>),
  }),
  answerVapi: fc.record({ body: vapiBody, headers: fc.constant({}) }),
  answerRetell: fc.record({ body: retellBody, headers: retellHeaders as fc.Arbitrary<Record<string, string>> }),
}

import { type Row, rowsOf } from './row.ts'

const invalid = '422 validation_failed'
const posted = (path: string) => (body: unknown) => ({ method: 'POST', path, body: JSON.stringify(body) })
const rpc = (method: string, more: object = {}) => ({ jsonrpc: '2.0', id: 1, method, ...more })
const tool = (name: string, args: unknown) => rpc('tools/call', { params: { name, arguments: args } })
const calls = (count: number, args: unknown) => ({
  message: {
    type: 'tool-calls',
    toolCallList: Array(count).fill({ id: 'x', function: { name: 'f', arguments: args } }),
  },
})
const texts = [
  ...[`a & b | !c <-> (d:* "e' \\`, '?!…,;:—', 'a'.repeat(8000), '1'.repeat(8000), 'double a '.repeat(888)],
  ...[`e${'\u0301'.repeat(7999)}`, `1${'.'.repeat(7998)}1`, '𝓗𝓸𝓾𝓻𝓼 🕘'.repeat(500)],
  '\u202e\u2066שעות\u2069 פתיחה',
]
const wrong = [
  ...[{ deadline_ms: 0 }, { deadline_ms: 1e9 }, { deadline_ms: '3000' }, { limit: 1e300 }, { limit: 1.5 }],
  ...[{ min_score: -1 }, { document_ids: ["' or 1=1"] }, { metadata: JSON.parse('{"__proto__":1}') }],
  { metadata: JSON.parse(`${'{"a":'.repeat(9)}1${'}'.repeat(9)}`) },
]
const vectors = [[1], ...[0, 1e308, '1'].map((each) => Array(1536).fill(each)), `${'A'.repeat(76)}\n`.repeat(108)]

export const questions: Row[] = [
  ...rowsOf(posted('KB/search'), {
    '200': [
      ...texts.map((query) => ({ query })),
      { query: '%_%\\%', mode: 'keyword' },
      { query: 'q', metadata: { $where: '1', 'a.b': { $gt: '' } } },
    ],
    [invalid]: [
      { query: ['a'] },
      ...wrong.map((field) => ({ query: 'q', ...field })),
      ...vectors.map((embedding) => ({ embedding })),
    ],
  }),
  ...rowsOf(posted('AGENT/mcp'), {
    '200': [
      ...[rpc('__proto__'), tool('constructor', {}), tool('fetch', { id: '../../etc/passwd' })],
      tool('fetch', { id: '0198a0b0-1111-7222-8333-444455556666#99999999999' }),
      tool('search', { query: { $ne: 1 } }),
    ],
    [invalid]: [[rpc('tools/list')], { ...rpc('tools/list'), jsonrpc: '1.0' }, rpc('x', { result: {} })],
  }),
  ...rowsOf(posted('KB/vapi'), {
    '200': [
      ...[
        { message: null },
        { message: { type: { a: 1 } } },
        calls(11, { query: 'q' }),
        calls(1, '['.repeat(1_000_000)),
      ],
    ],
  }),
  ...rowsOf(posted('KB/retell'), { '200': [{ args: 'query' }] }),
  {
    ...posted('KB/retell')({ query: 'q' }),
    of: 'a signature that is none',
    headers: { 'x-retell-signature': 'v=x,d=' },
    answer: '200',
  },
]

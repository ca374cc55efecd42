import { type Row, rowsOf } from './row.ts'

export const queries: Row[] = rowsOf((query: string) => ({ query }), {
  '200': ['=1', '&&&&'],
  '400 invalid_parameter': [
    ...'limit=1&limit=2 limit[]=1 limit[$gt]=1 debug=true __proto__=1 constructor[prototype][a]=1 limit=1e1'.split(' '),
    ...'limit=0x10 limit=-1 limit=1.5 limit=0 limit=101 limit=%EF%BC%91 limit=+1+ limit=1%00 limit=Infinity'.split(' '),
    ...`limit=NaN limit= limit=${'9'.repeat(400)} status=pending%0d%0aSet-Cookie:%20a=1`.split(' '),
    ...`status=pending'%20or%20'1'='1 status=%E0%A4%A status=%C0%AFpending ${'a=1&'.repeat(1000)}`.split(' '),
    'status=pending\r\nSet-Cookie: a=1',
  ],
  '400 invalid_cursor': [
    ...`cursor= cursor=${'A'.repeat(8000)} cursor=%FF%FE%00`.split(' '),
    `cursor=${encodeURIComponent('["2030-01-01",""]')}`,
    `cursor=${Buffer.from('["a","b"]').toString('base64url')}`,
  ],
})

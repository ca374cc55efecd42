import type { Row } from './row.ts'

const invalid = '400 invalid_parameter'

export const queries: Row[] = [
  { of: 'a parameter twice', query: 'limit=1&limit=2', answer: invalid },
  { of: 'a parameter as an array', query: 'limit[]=1', answer: invalid },
  { of: 'a parameter as an object', query: 'limit[$gt]=1', answer: invalid },
  { of: 'an unknown parameter', query: 'debug=true', answer: invalid },
  { of: 'the prototype', query: '__proto__=1', answer: invalid },
  { of: 'a constructor', query: 'constructor[prototype][a]=1', answer: invalid },
  { of: 'a parameter without a name', query: '=1', answer: '200' },
  { of: 'ampersands alone', query: '&&&&', answer: '200' },
  { of: 'an exponent', query: 'limit=1e1', answer: invalid },
  { of: 'a hexadecimal number', query: 'limit=0x10', answer: invalid },
  { of: 'a sign', query: 'limit=-1', answer: invalid },
  { of: 'a fraction', query: 'limit=1.5', answer: invalid },
  { of: 'a number beyond all', query: `limit=${'9'.repeat(400)}`, answer: invalid },
  { of: 'a full-width digit', query: 'limit=%EF%BC%91', answer: invalid },
  { of: 'white space around a number', query: 'limit=+1+', answer: invalid },
  { of: 'NUL in a number', query: 'limit=1%00', answer: invalid },
  { of: 'Infinity', query: 'limit=Infinity', answer: invalid },
  { of: 'NaN', query: 'limit=NaN', answer: invalid },
  { of: 'an empty number', query: 'limit=', answer: invalid },
  { of: 'a line break in a value', query: 'status=pending%0d%0aSet-Cookie:%20a=1', answer: invalid },
  { of: 'a line break as it is', query: 'status=pending\r\nSet-Cookie: a=1', answer: invalid },
  { of: 'SQL', query: "status=pending'%20or%20'1'='1", answer: invalid },
  { of: 'a broken escape', query: 'status=%E0%A4%A', answer: invalid },
  { of: 'overlong UTF-8', query: 'status=%C0%AFpending', answer: invalid },
  { of: 'a thousand parameters', query: 'a=1&'.repeat(1000), answer: invalid },
  { of: 'an empty cursor', query: 'cursor=', answer: '400 invalid_cursor' },
  { of: 'a cursor of 8,000 characters', query: `cursor=${'A'.repeat(8000)}`, answer: '400 invalid_cursor' },
  {
    of: 'a cursor that is JSON',
    query: `cursor=${encodeURIComponent('["2030-01-01",""]')}`,
    answer: '400 invalid_cursor',
  },
  {
    of: 'a cursor without a signature',
    query: `cursor=${Buffer.from('["a","b"]').toString('base64url')}`,
    answer: '400 invalid_cursor',
  },
  { of: 'a cursor of bytes', query: 'cursor=%FF%FE%00', answer: '400 invalid_cursor' },
]

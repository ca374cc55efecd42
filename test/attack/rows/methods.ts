import { type Row, rowsOf } from './row.ts'

export const methods: Row[] = [
  ...rowsOf((method: string) => ({ method }), {
    '200': ['get'],
    // TRACE would echo the key.
    '405 method_not_allowed': [
      ...'TRACE TRACK CONNECT OPTIONS PURGE PROPFIND GËT DELETE'.split(' '),
      ...['', 'GET\r\nx: y', 'GET /', 'X'.repeat(300)],
    ],
  }),
  { of: 'PUT', method: 'PUT', path: 'DOC', body: '{}', answer: '405 method_not_allowed' },
  { of: 'mixed letters', method: 'gEt', path: 'DOC', answer: '200' },
  { of: 'a GET with a body', body: '{"title":"T"}', answer: '200' },
  { of: 'a HEAD where there is no GET', method: 'HEAD', path: 'KB/search', answer: '405' },
]

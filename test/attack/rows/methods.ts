import type { Row } from './row.ts'

const notAllowed = '405 method_not_allowed'

export const methods: Row[] = [
  { of: 'TRACE, which would echo the key', method: 'TRACE', answer: notAllowed },
  { of: 'TRACK', method: 'TRACK', answer: notAllowed },
  { of: 'CONNECT', method: 'CONNECT', answer: notAllowed },
  { of: 'OPTIONS', method: 'OPTIONS', answer: notAllowed },
  { of: 'PURGE', method: 'PURGE', answer: notAllowed },
  { of: 'PROPFIND', method: 'PROPFIND', answer: notAllowed },
  { of: 'PUT', method: 'PUT', path: 'DOC', body: '{}', answer: notAllowed },
  { of: 'small letters', method: 'get', answer: '200' },
  { of: 'mixed letters', method: 'gEt', path: 'DOC', answer: '200' },
  { of: 'nothing', method: '', answer: notAllowed },
  { of: 'a line break', method: 'GET\r\nx: y', answer: notAllowed },
  { of: 'a space', method: 'GET /', answer: notAllowed },
  { of: '300 letters', method: 'X'.repeat(300), answer: notAllowed },
  { of: 'letters that are not ASCII', method: 'GËT', answer: notAllowed },
  { of: 'a GET with a body', body: '{"title":"T"}', answer: '200' },
  { of: 'a DELETE of all', method: 'DELETE', answer: notAllowed },
  { of: 'a HEAD where there is no GET', method: 'HEAD', path: 'KB/search', answer: '405' },
]

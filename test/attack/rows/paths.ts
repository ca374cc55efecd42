import { type Row, rowsOf } from './row.ts'

const id = '0198a0b0-1111-7222-8333-444455556666'

export const paths: Row[] = rowsOf((path: string) => ({ path }), {
  '400 invalid_parameter': [
    // A question mark that was encoded twice is among them.
    ...`KB/.. KB/. KB/%2e%2e KB/{${id}} KB/urn:uuid:${id} KB/${id}#x KB/${id}%3Flimit=1`.split(' '),
    ...['\0', '\r\nX-Evil: 1', '\t'].map((end) => `KB/${id}${end}`),
    ...['\u202e', '\ufeff'].map((start) => `KB/${start}${id}`),
    ...[`KB/${id.replaceAll('-', '')}`, `KB/${id.replaceAll('0', '０')}`, `KB/${id.replace('-', '\u00ad')}`],
    ...['KB/\ud800', `KB/' or 1=1; drop table documents; --`, `KB/${'0'.repeat(8000)}`],
  ],
  '404 document_not_found': ['KB/ffffffff-ffff-ffff-ffff-ffffffffffff', 'KB/00000000-0000-0000-0000-000000000000'],
  '404 route_not_found': [
    ...`/v1/docs/../organization KB/${id}/../${id} KB\\..\\..\\organization KB;jsessionid=1 KB/`.split(' '),
    ...'//evil.example/v1/organization /v1//organization http://evil.example/v1/organization'.split(' '),
    ...'v1/organization /V1/Organization /v1/organization.json /.env /admin'.split(' '),
    ...['__proto__', 'constructor', '../../../../etc/passwd', 'package.json'].map((file) => `/v1/docs/assets/${file}`),
    '/v1'.repeat(1000),
  ],
})

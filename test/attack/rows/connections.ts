/** Bytes that arrive at a socket of the gateway. */
export interface Connection {
  of: string
  /** As Latin-1. `KEY` becomes the tenant's key. */
  sent: string
  /** The statuses of what is answered, in order. One with a question mark may be lost, for the connection is broken off with it. */
  answer: string
  /** Whether the sender closes its side at once. */
  isCut?: true
}

const head = 'Host: localhost\r\nX-API-Key: KEY\r\n'
const get = (more = '', path = '/v1/organization') => `GET ${path} HTTP/1.1\r\n${head}${more}\r\n`
const post = (more: string, body = '') =>
  `POST /v1/agents/x/knowledge-base HTTP/1.1\r\n${head}Content-Type: application/json\r\n${more}\r\n${body}`
const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body)

export const connections: Connection[] = [
  { of: 'a sound request', sent: get(), answer: '200' },
  { of: 'two requests at once', sent: get() + get(), answer: '200 200' },
  {
    of: 'two requests of which the first has a body',
    sent: post('Content-Length: 2\r\n', '{}') + get(),
    answer: '400 200',
  },
  {
    of: 'a GET with a body, and another request',
    sent: get('Content-Length: 5\r\n').concat('hello') + get(),
    answer: '200 200',
  },
  { of: 'empty lines before the request', sent: `\r\n\r\n${get()}`, answer: '200' },
  { of: 'junk after the request', sent: `${get()}junk\r\n\r\n`, answer: '200? 400?' },
  { of: 'a body longer than it says', sent: post('Content-Length: 2\r\n', '{}{}'), answer: '400? 400?' },
  { of: 'a body shorter than it says', sent: post('Content-Length: 200\r\n', '{}'), answer: '400?', isCut: true },
  { of: 'nothing', sent: '', answer: '', isCut: true },
  { of: 'TLS', sent: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', answer: '400?', isCut: true },
  { of: 'HTTP/2', sent: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', answer: '400?' },
  { of: 'HTTP/0.9', sent: 'GET /v1/organization\r\n', answer: '400?', isCut: true },
  { of: 'HTTP/1.0 without a host', sent: 'GET /v1/organization HTTP/1.0\r\nX-API-Key: KEY\r\n\r\n', answer: '200' },
  { of: 'HTTP/9.9', sent: 'GET / HTTP/9.9\r\n\r\n', answer: '400?' },
  { of: 'no host', sent: 'GET /v1/organization HTTP/1.1\r\nX-API-Key: KEY\r\n\r\n', answer: '400?' },
  { of: 'two hosts', sent: get('Host: evil.example\r\n'), answer: '400' },
  {
    of: 'a host that is none',
    sent: 'GET /v1/organization HTTP/1.1\r\nHost: a b/c@d\r\nX-API-Key: KEY\r\n\r\n',
    answer: '200',
  },
  { of: 'two spaces', sent: 'GET  /v1/organization HTTP/1.1\r\nHost: x\r\n\r\n', answer: '401' },
  { of: 'a tab', sent: 'GET\t/v1/organization HTTP/1.1\r\nHost: x\r\n\r\n', answer: '400?' },
  { of: 'a whole URL', sent: get('', 'http://evil.example/v1/organization'), answer: '404' },
  { of: 'a star', sent: `OPTIONS * HTTP/1.1\r\n${head}\r\n`, answer: '404' },
  { of: 'CONNECT', sent: 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n', answer: '', isCut: true },
  { of: 'TRACE', sent: `TRACE /v1/organization HTTP/1.1\r\n${head}\r\n`, answer: '405' },
  { of: 'a method in small letters', sent: `get /v1/organization HTTP/1.1\r\n${head}\r\n`, answer: '400?' },
  { of: 'a method that is none', sent: `FROBNICATE / HTTP/1.1\r\n${head}\r\n`, answer: '400?' },
  { of: 'a method of another protocol', sent: `PROPFIND /v1/organization HTTP/1.1\r\n${head}\r\n`, answer: '405' },
  { of: 'an encoded slash', sent: get('', '/v1%2Forganization'), answer: '200' },
  { of: 'encoded dots', sent: get('', '/v1/docs/%2e%2e/organization'), answer: '404' },
  { of: 'dots', sent: get('', '/v1/docs/../organization'), answer: '404' },
  { of: 'dots beyond the root', sent: get('', '/../../../../etc/passwd'), answer: '404' },
  { of: 'an encoded NUL', sent: get('', '/v1/organization%00'), answer: '404' },
  { of: 'encoded line breaks', sent: get('', '/v1/docs%0d%0aSet-Cookie:%20a=1'), answer: '404' },
  { of: 'overlong UTF-8', sent: get('', '/v1/%C0%AF%C0%AForganization'), answer: '404' },
  { of: 'a broken escape', sent: get('', '/v1/organization%'), answer: '404' },
  { of: 'bytes beyond ASCII', sent: get('', '/v1/organizati\xf6n'), answer: '400?' },
  { of: 'NUL in the path', sent: get('', '/v1/organization\0'), answer: '400?' },
  { of: 'a path of 9,000 characters', sent: get('', `/${'a'.repeat(9_000)}`), answer: '404' },
  { of: 'a path of 11,000 characters', sent: get('', `/${'a'.repeat(11_000)}`), answer: '431?' },
  { of: 'a header of 11,000 characters', sent: get(`X: ${'a'.repeat(11_000)}\r\n`), answer: '431?' },
  { of: '3,000 headers', sent: get('X: y\r\n'.repeat(3_000)), answer: '431?' },
  { of: 'a name followed by a space', sent: get('X-Other : 1\r\n'), answer: '400?' },
  { of: 'a name with parentheses', sent: get('X(y): 1\r\n'), answer: '400?' },
  { of: 'a name with a byte beyond ASCII', sent: get('X\xff: 1\r\n'), answer: '400?' },
  { of: 'a line without a colon', sent: get('X-Other\r\n'), answer: '400?' },
  { of: 'a line that begins with a colon', sent: get(': 1\r\n'), answer: '400?' },
  { of: 'a folded header', sent: get('X-Other: 1\r\n 2\r\n'), answer: '400?' },
  { of: 'NUL in a header', sent: get('X-Other: a\0b\r\n'), answer: '400?' },
  { of: 'a bare CR in a header', sent: get('X-Other: a\rb\r\n'), answer: '400?' },
  { of: 'bare line feeds', sent: get().replaceAll('\r\n', '\n'), answer: '400?' },
  { of: 'the key twice', sent: get('X-API-Key: KEY\r\n'), answer: '401' },
  { of: 'two media types', sent: post('Content-Type: text/plain\r\nContent-Length: 2\r\n', '{}'), answer: '400' },
  { of: 'a length twice', sent: post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'), answer: '400?' },
  { of: 'two lengths', sent: post('Content-Length: 2\r\nContent-Length: 3\r\n', '{} '), answer: '400?' },
  { of: 'a list of lengths', sent: post('Content-Length: 2, 2\r\n', '{}'), answer: '400?' },
  { of: 'a negative length', sent: post('Content-Length: -2\r\n', '{}'), answer: '400?' },
  { of: 'a length with a sign', sent: post('Content-Length: +2\r\n', '{}'), answer: '400?' },
  { of: 'a hexadecimal length', sent: post('Content-Length: 0x2\r\n', '{}'), answer: '400?' },
  { of: 'a length beyond all', sent: post(`Content-Length: ${'9'.repeat(30)}\r\n`, '{}'), answer: '400?' },
  {
    of: 'a length and chunks',
    sent: post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${get()}`),
    answer: '400?',
  },
  {
    of: 'chunks and a length',
    sent: post('Transfer-Encoding: chunked\r\nContent-Length: 2\r\n', `0\r\n\r\n${get()}`),
    answer: '400?',
  },
  {
    of: 'chunks that are not last',
    sent: post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'),
    answer: '400?',
  },
  { of: 'a coding that is none', sent: post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'), answer: '400?' },
  { of: 'a coding followed by a space', sent: post('Transfer-Encoding : chunked\r\n', '0\r\n\r\n'), answer: '400?' },
  { of: 'chunks', sent: chunked('2\r\n{}\r\n0\r\n\r\n'), answer: '400' },
  { of: 'chunks with a name for each', sent: chunked('2;a=b\r\n{}\r\n0\r\n\r\n'), answer: '400' },
  { of: 'a chunk of a length that is none', sent: chunked('zz\r\n{}\r\n0\r\n\r\n'), answer: '400?' },
  { of: 'a chunk of a negative length', sent: chunked('-2\r\n{}\r\n0\r\n\r\n'), answer: '400?' },
  { of: 'a chunk of a length beyond all', sent: chunked(`${'f'.repeat(20)}\r\n{}\r\n0\r\n\r\n`), answer: '400?' },
  { of: 'a chunk longer than it says', sent: chunked('1\r\n{}\r\n0\r\n\r\n'), answer: '400?' },
  { of: 'chunks without an end', sent: chunked('2\r\n{}\r\n'), answer: '400?', isCut: true },
  {
    of: 'chunks with extensions of 20,000 bytes',
    sent: chunked(`2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
    answer: '413?',
  },
  { of: 'a length in the trailer', sent: chunked('2\r\n{}\r\n0\r\nContent-Length: 99\r\n\r\n'), answer: '400?' },
  {
    of: 'more than 10 MB in chunks',
    sent: chunked(`${`100000\r\n${' '.repeat(1_048_576)}\r\n`.repeat(11)}0\r\n\r\n`),
    answer: '413',
  },
  { of: 'an expectation', sent: post('Expect: 100-continue\r\nContent-Length: 2\r\n', '{}'), answer: '100 400' },
  {
    of: 'an expectation that nobody meets',
    sent: post('Expect: 200-ok\r\nContent-Length: 2\r\n', '{}'),
    answer: '417',
  },
  { of: 'an upgrade to a socket', sent: get('Connection: upgrade\r\nUpgrade: websocket\r\n'), answer: '200' },
  {
    of: 'an upgrade to HTTP/2',
    sent: get('Connection: upgrade, http2-settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n'),
    answer: '200',
  },
]

export const responseHeaders = {
  'X-Request-Id': { description: 'Identifies the request in our logs.', schema: { type: 'string' } },
  ETag: { description: 'The version of the resource.', schema: { type: 'string', pattern: '^"[^"]+"$' } },
  Location: { description: 'The path of the created resource.', schema: { type: 'string', format: 'uri-reference' } },
  Link: {
    description: 'The next page, with rel="next"; absent on the last page.',
    schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
  },
  'Idempotency-Replayed': {
    description: '`true` if this repeats the first response; otherwise absent.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': { description: 'Seconds to wait before retrying.', schema: { type: 'string', pattern: '^\\d+$' } },
  RateLimit: {
    description: 'The limit’s name, its remaining quota, and the seconds until there is more.',
    schema: { type: 'string', pattern: '^"[a-z]+";r=\\d+;t=\\d+$' },
  },
  'RateLimit-Policy': {
    description:
      'The limit’s name, its quota and, unless it limits concurrent use, the seconds until the quota is full again.',
    schema: { type: 'string', pattern: '^"[a-z]+";q=\\d+(;w=\\d+)?$' },
  },
  'Server-Timing': {
    description: 'The milliseconds that embedding the query and the database took in a search.',
    schema: { type: 'string', pattern: '^embed;dur=\\d+\\.\\d, db;dur=\\d+\\.\\d$' },
  },
  'WWW-Authenticate': {
    description:
      'Both ways to send a key: `Bearer`, in Authorization, and `ApiKey`, in X-API-Key; or the header of a signature.',
    schema: { type: 'string' },
  },
  Allow: { description: 'The methods that the route supports.', schema: { type: 'string' } },
  'Cache-Control': {
    description:
      '`private, no-store`; for a single document `private, no-cache`: cache it and revalidate with If-None-Match; for the reference `public`.',
    schema: {
      type: 'string',
      enum: ['private, no-store', 'private, no-cache', 'public, max-age=300', 'public, max-age=31536000, immutable'],
    },
  },
  Vary: { description: 'The request headers on which the response depends.', schema: { type: 'string' } },
  'Content-Digest': {
    description: 'The SHA-256 of the body, as in RFC 9530.',
    schema: { type: 'string', pattern: '^sha-256=:[A-Za-z0-9+/]{43}=:$' },
  },
  'Cuecard-Keeps-Questions': {
    description: '`true` if the organization keeps its callers’ questions.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'Content-Encoding': { description: 'gzip, if the request accepts it.', schema: { type: 'string', const: 'gzip' } },
  'X-Content-Type-Options': { description: '`nosniff`', schema: { type: 'string' } },
  'Content-Security-Policy': { description: 'Restricts the page to this host.', schema: { type: 'string' } },
  'Referrer-Policy': { description: '`no-referrer`', schema: { type: 'string' } },
  'Apigw-Requestid': { description: 'Identifies the request at the gateway.', schema: { type: 'string' } },
} as const

export const optionalHeaders = new Set(['Link', 'Idempotency-Replayed', 'Content-Encoding', 'Server-Timing'])

export function headersOf(names: string[] = []) {
  return references(['X-Request-Id', 'Cache-Control', ...names])
}

export function references(names: string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

export function optional(names: (keyof typeof responseHeaders)[]) {
  return Object.fromEntries(names.map((name) => [name, { ...responseHeaders[name], required: false }]))
}

/** The headers that answers carry: name → what it says and, where it is fixed, how it looks. */
export const answerHeaders = {
  'X-Request-Id': { description: 'Names this request in our logs.', schema: { type: 'string' } },
  ETag: { description: 'The version of what was answered.', schema: { type: 'string', pattern: '^"[^"]+"$' } },
  Location: { description: 'The path of what was made.', schema: { type: 'string', format: 'uri-reference' } },
  Link: {
    description: 'The next page, with rel="next"; absent on the last.',
    schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
  },
  'Idempotency-Replayed': {
    description: '`true` when this is the first answer again; else absent.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: { type: 'string', pattern: '^\\d+$' } },
  'WWW-Authenticate': { description: 'The scheme: a key in X-API-Key.', schema: { type: 'string' } },
  Allow: { description: 'The methods that the route knows.', schema: { type: 'string' } },
  'Cache-Control': {
    description:
      '`private, no-store`. Of one document `private, no-cache`: keep it and ask again with If-None-Match. Of the reference `public`.',
    schema: { type: 'string', enum: ['private, no-store', 'private, no-cache', 'public, max-age=300'] },
  },
  Vary: { description: 'What the answer depends on.', schema: { type: 'string' } },
  'Content-Encoding': { description: 'gzip for a caller who takes it.', schema: { type: 'string', const: 'gzip' } },
  'X-Content-Type-Options': { description: 'nosniff', schema: { type: 'string' } },
  'Content-Security-Policy': { description: 'Confines the page to this host.', schema: { type: 'string' } },
  'Referrer-Policy': { description: 'no-referrer', schema: { type: 'string' } },
  'Apigw-Requestid': { description: 'Names the request to the gateway.', schema: { type: 'string' } },
} as const

/** Those that not every answer of their kind carries. */
export const optionalHeaders = new Set(['Link', 'Idempotency-Replayed', 'Content-Encoding'])

/** References to the named headers, and to those that every answer of ours has. */
export function headersOf(names: string[] = []) {
  return references(['X-Request-Id', 'Cache-Control', ...names])
}

/** References to the named headers alone. */
export function references(names: string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The named headers where not every answer that is described here has them. */
export function optional(names: (keyof typeof answerHeaders)[]) {
  return Object.fromEntries(names.map((name) => [name, { ...answerHeaders[name], required: false }]))
}

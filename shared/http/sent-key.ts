import { ApiError } from './errors.ts'

/** The key in `X-API-Key` or in `Authorization: Bearer`. @throws ApiError missing_api_key; invalid_api_key when the two differ */
export function requireKey(header: (name: string) => string | undefined): string {
  const own = header('x-api-key')
  const [, token] = /^bearer +([^ ].*)$/i.exec(header('authorization') ?? '') ?? []
  if (own && token && own !== token)
    throw unauthorized('invalid_api_key', 'X-API-Key and Authorization hold different keys. Send one of them.')
  const key = own || token
  if (key) return key
  throw unauthorized('missing_api_key', 'Send your API key as `X-API-Key: cue_…` or as `Authorization: Bearer cue_…`.')
}

export function invalidKey(): ApiError {
  return unauthorized(
    'invalid_api_key',
    'The API key in X-API-Key or in Authorization: Bearer is unknown, malformed, revoked or expired.',
  )
}

/** A 401 with a challenge for either way to send a key; RFC 6750 wants `error` only if a key was sent. */
function unauthorized(code: 'missing_api_key' | 'invalid_api_key', detail: string) {
  const bearer = code === 'missing_api_key' ? 'realm="Cuecard"' : 'realm="Cuecard", error="invalid_token"'
  return new ApiError(code, detail, { headers: { 'www-authenticate': `Bearer ${bearer}, ApiKey header="X-API-Key"` } })
}

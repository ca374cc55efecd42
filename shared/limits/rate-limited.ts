import { ApiError } from '../http/errors.ts'

export interface Limit {
  name: 'requests' | 'tokens' | 'documents' | 'keys'
  quota: number
  /** In which the quota is whole again; none for what is held at once. */
  windowSeconds?: number
}

/**
 * With the headers of the IETF's draft for rate limits (draft-ietf-httpapi-ratelimit-headers).
 * @param seconds until it is worth trying again
 */
export function rateLimited({ name, quota, windowSeconds }: Limit, seconds: number, detail: string): ApiError {
  const wait = Math.max(1, Math.ceil(seconds))
  return new ApiError('rate_limited', detail, {
    headers: {
      'retry-after': String(wait),
      ratelimit: `"${name}";r=0;t=${wait}`,
      'ratelimit-policy': `"${name}";q=${quota}${windowSeconds === undefined ? '' : `;w=${windowSeconds}`}`,
    },
  })
}

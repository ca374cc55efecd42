import { ApiError } from './errors.ts'

export interface Limit {
  name: 'requests' | 'tokens' | 'documents' | 'keys' | 'bytes'
  quota: number
  windowSeconds?: number
}

/** A 429 with the headers of draft-ietf-httpapi-ratelimit-headers. @param seconds until a retry is worthwhile */
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

/** A service that a request needs cannot be reached: 503. */
export class Unavailable extends Error {
  readonly service: string
  readonly retryAfterSeconds: number
  readonly detail: string | undefined

  constructor(service: string, cause: unknown, retryAfterSeconds = 5, detail?: string) {
    super(`${service} is unavailable`, { cause })
    this.service = service
    this.retryAfterSeconds = retryAfterSeconds
    this.detail = detail
  }
}

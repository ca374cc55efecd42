import * as v from 'valibot'

export class CallFailed extends Error {
  override readonly name = 'CallFailed'
  /** The response's request id, under which the logs say more. */
  readonly requestId: string | undefined

  constructor(message: string, requestId?: string, cause?: unknown) {
    super(message, { cause })
    this.requestId = requestId
  }
}

export interface ApiAccess {
  baseUrl: string
  apiKey: string
  signal: AbortSignal
  /** Replaces the request to `baseUrl`. */
  send?: (request: Request) => Promise<Response>
}

interface Expected<Body> {
  status: number
  schema: v.GenericSchema<unknown, Body>
}

export type ApiClient = ReturnType<typeof apiClient>

/** Longer than the API takes to give up. */
const maxMilliseconds = 30_000
const maxQuoted = 500

export function apiClient({ baseUrl, apiKey, signal, send = fetch }: ApiAccess) {
  return async function call<Body>(
    method: string,
    path: string,
    { status, schema }: Expected<Body>,
    sent?: object,
  ): Promise<{ body: Body; requestId: string | undefined }> {
    const { response, text } = await exchange(method, path, sent)
    const requestId = response.headers.get('x-request-id') ?? response.headers.get('apigw-requestid') ?? undefined
    const failed = `${method} ${path} responded with ${response.status}`
    if (response.status !== status) throw new CallFailed(`${failed}: ${text.slice(0, maxQuoted)}`, requestId)
    const body = v.safeParse(schema, jsonOf(text))
    if (!body.success) throw new CallFailed(`${failed} and an unexpected body`, requestId)
    return { body: body.output, requestId }
  }

  async function exchange(method: string, path: string, sent?: object) {
    try {
      const request = new Request(baseUrl + path, {
        method,
        headers: { 'x-api-key': apiKey, ...(sent && { 'content-type': 'application/json' }) },
        ...(sent && { body: JSON.stringify(sent) }),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(maxMilliseconds)]),
      })
      const response = await send(request)
      return { response, text: await response.text() }
    } catch (error) {
      throw new CallFailed(`${method} ${path} has no response: ${reasonOf(error)}`, undefined, error)
    }
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error && cause.message ? cause.message : message
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { configuredSigner, type Signer, signPost } from './signing.ts'

/** A POST to a service that speaks JSON. */
interface JsonCall {
  service: 'codedeploy' | 'lambda' | 'secretsmanager' | 'ses' | 'sqs'
  url: string
  /** The operation, and the version of the protocol; absent where the URL's path names the operation. */
  target?: string
  version?: '1.0' | '1.1'
  input: unknown
  signal: AbortSignal
  /** The limit of one attempt. */
  attemptMilliseconds?: number
  signer?: (() => Signer | Promise<Signer>) | undefined
}

/** An error response of a service; `name` is AWS's error code. */
class Refusal extends Error {
  override readonly name: string
  readonly status: number

  constructor(name: string, message: string, status: number) {
    super(message)
    this.name = name
    this.status = status
  }
}

const attempts = 3

/** Calls AWS without its SDK, which takes a third of a cold start to load. Makes up to three attempts, as the SDK does. @throws Refusal */
export async function callAws(call: JsonCall): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(call)
    } catch (error) {
      const base = retryMilliseconds(error)
      if (attempt === attempts || call.signal.aborted || base === undefined) throw error
      await sleep(Math.random() * base * 2 ** attempt, undefined, { signal: call.signal })
    }
  }
}

async function send(call: JsonCall): Promise<unknown> {
  const { service, url, target, version, input, attemptMilliseconds, signer = configuredSigner } = call
  const body = JSON.stringify(input)
  const headers: Record<string, string> = target
    ? { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': target }
    : { 'content-type': 'application/json' }
  const signed = signPost(await signer(), service, { url, headers, body, now: new Date() })
  const limits = attemptMilliseconds === undefined ? [] : [AbortSignal.timeout(attemptMilliseconds)]
  const response = await fetch(url, {
    method: 'POST',
    headers: signed,
    body,
    signal: AbortSignal.any([call.signal, ...limits]),
    redirect: 'manual',
  })
  const text = await response.text()
  if (response.ok) return JSON.parse(text)
  const { __type = response.headers.get('x-amzn-errortype') ?? '', message, Message = message } = parsed(text)
  throw new Refusal(
    __type.split('#').at(-1)!.split(':')[0] || `Status${response.status}`,
    Message ?? '',
    response.status,
  )
}

function parsed(text: string): { __type?: string; message?: string; Message?: string } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** The base of the delay before another attempt; undefined if another cannot help. */
function retryMilliseconds(error: unknown): number | undefined {
  if (!(error instanceof Refusal)) return 100
  if (error.status === 429 || /Throttl|TooManyRequests|LimitExceeded/.test(error.name)) return 500
  return error.status >= 500 ? 100 : undefined
}

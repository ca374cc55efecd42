import type { Context } from 'aws-lambda'
import { describeError, log } from '../../shared/telemetry/log.ts'
import { localAws } from '../data-directory/address.ts'

export const { region, credentials } = localAws

export interface FunctionSettings {
  functionName: string
  timeoutSeconds: number
}

export type LambdaHandler<Event, Result> = (event: Event, context: Context) => Result | Promise<Result>

export class FunctionTimeout extends Error {
  override readonly name = 'FunctionTimeout'
}

export class PayloadTooLarge extends Error {
  override readonly name = 'PayloadTooLarge'
  readonly of: 'event' | 'result'

  constructor(of: 'event' | 'result', bytes: number) {
    super(`the ${of} has ${bytes} bytes, and Lambda’s limit is ${maxPayloadBytes}`)
    this.of = of
  }
}

export function logFailure(error: unknown): void {
  log.error('invocation_failed', { error: describeError(error) })
}

const maxPayloadBytes = 6 * 1024 * 1024

/** Invokes a handler like Lambda, except that a time-out does not stop the handler. @throws FunctionTimeout, PayloadTooLarge */
export async function invoke<Event, Result>(
  handler: LambdaHandler<Event, Result>,
  event: Event,
  settings: FunctionSettings,
): Promise<Result> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const { functionName, timeoutSeconds } = settings
  const expire = () => reject(new FunctionTimeout(`${functionName} timed out after ${timeoutSeconds} seconds`))
  const timer = setTimeout(expire, timeoutSeconds * 1000)
  try {
    const result = await Promise.race([Promise.try(handler, throughJson(event, 'event'), toContext(settings)), timeout])
    return throughJson(result, 'result')
  } finally {
    clearTimeout(timer)
  }
}

function throughJson<Value>(value: Value, of: 'event' | 'result'): Value {
  const text = JSON.stringify(value)
  if (text === undefined) return value
  const bytes = Buffer.byteLength(text)
  if (bytes > maxPayloadBytes) throw new PayloadTooLarge(of, bytes)
  return JSON.parse(text)
}

/** The parts of the context that handlers read. */
function toContext({ functionName, timeoutSeconds }: FunctionSettings): Context {
  const deadline = performance.now() + timeoutSeconds * 1000
  return {
    awsRequestId: crypto.randomUUID(),
    functionName,
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(deadline - performance.now())),
  } as Context
}

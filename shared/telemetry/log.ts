import { Logger } from '@aws-lambda-powertools/logger'

/** Logs only ids, counts, codes and times: never content, keys or secrets. Lines about a document carry the ids of the request behind them. */
export const log = new Logger({ serviceName: process.env.AWS_LAMBDA_FUNCTION_NAME ?? 'cuecard' })

/** The parts of an error that may be logged: a database error's other fields, and the message of a data exception (22), quote values. */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : undefined
  return {
    name: error.name,
    message: code?.startsWith('22') ? undefined : error.message,
    code,
    constraint: 'constraint' in error ? error.constraint : undefined,
    frames: error.stack?.split('\n').filter((line) => /^\s+at /.test(line)),
    cause: error.cause && describeError(error.cause),
  }
}

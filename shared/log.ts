import { Logger } from '@aws-lambda-powertools/logger'

/** Structured logs, one JSON object a line. Ids, counts, codes and times only: never content, keys or secrets. */
export const log = new Logger({ serviceName: process.env.AWS_LAMBDA_FUNCTION_NAME ?? 'cuecard' })

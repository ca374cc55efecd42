export interface Lambda {
  /** Module that exports `handler`. */
  entry: string
  memoryMb: number
  timeoutSeconds: number
  /** Works on the database, under a role of its own: `cuecard_` and the Lambda's name. */
  database?: true
  /** Paths of the HTTP API, each for any method: the functions answer 405 themselves. */
  routes?: readonly string[]
  /** Runs on a schedule, every so many seconds. */
  everySeconds?: number
  /** Files of node_modules that it reads as it runs; they are deployed beside the bundle. */
  packaged?: readonly string[]
}

const agentPath = '/v1/agents/{agentId}/knowledge-base'
const documentPath = `${agentPath}/{documentId}`

/** What runs where: the stack, the local gateway and the local poller all read this table. */
export const lambdas = {
  documents: {
    entry: 'functions/documents/handler.ts',
    database: true,
    memoryMb: 512,
    timeoutSeconds: 29,
    routes: [agentPath, documentPath],
  },
  chunks: {
    entry: 'functions/chunks/handler.ts',
    database: true,
    memoryMb: 512,
    timeoutSeconds: 29,
    routes: [`${documentPath}/chunks`],
  },
  search: {
    entry: 'functions/search/handler.ts',
    database: true,
    memoryMb: 512,
    timeoutSeconds: 29,
    routes: [`${agentPath}/search`],
  },
  organization: {
    entry: 'functions/organization/handler.ts',
    database: true,
    memoryMb: 512,
    timeoutSeconds: 29,
    routes: ['/v1/organization'],
  },
  reference: {
    entry: 'functions/reference/handler.ts',
    memoryMb: 512,
    timeoutSeconds: 29,
    routes: ['$default'],
    packaged: ['swagger-ui-dist/swagger-ui-bundle.js', 'swagger-ui-dist/swagger-ui.css'],
  },
  embedding: { entry: 'functions/embedding/handler.ts', database: true, memoryMb: 1024, timeoutSeconds: 120 },
  // Ends before the next run begins.
  sweeper: {
    entry: 'functions/sweeper/handler.ts',
    database: true,
    memoryMb: 512,
    timeoutSeconds: 50,
    everySeconds: 60,
  },
} as const satisfies Record<string, Lambda>

export type LambdaName = keyof typeof lambdas

/** The Lambdas that work on the database. */
export type DatabaseUser = {
  [Name in LambdaName]: (typeof lambdas)[Name] extends { database: true } ? Name : never
}[LambdaName]

export const queue = {
  // Lambda asks for at least six times the function's time-out, so that throttled batches are not delivered twice.
  visibilityTimeoutSeconds: 6 * lambdas.embedding.timeoutSeconds,
  maxReceiveCount: 5,
  batchSize: 10,
  maximumConcurrency: 10,
  retentionDays: 4,
  // Longer than the source's: a dead letter keeps the age it had there.
  deadLetterRetentionDays: 14,
} as const

/**
 * What the functions report (embedded metric format): each name with its unit and the Lambdas that emit it. The dimension's
 * value is the name that the Lambda has on AWS, so that stages do not mix.
 */
export const metrics = {
  namespace: 'Cuecard',
  dimension: 'service',
  names: {
    DocumentsCompleted: { unit: 'Count', services: ['embedding'] },
    DocumentsFailed: { unit: 'Count', services: ['embedding', 'sweeper'] },
    DocumentsRetried: { unit: 'Count', services: ['embedding'] },
    ChunksEmbedded: { unit: 'Count', services: ['embedding'] },
    ChunksReused: { unit: 'Count', services: ['embedding'] },
    EmbeddingTokens: { unit: 'Count', services: ['embedding', 'search'] },
    PendingMilliseconds: { unit: 'Milliseconds', services: ['embedding'] },
    ProviderLatency: { unit: 'Milliseconds', services: ['embedding', 'search'] },
    ProviderErrors: { unit: 'Count', services: ['embedding', 'search'] },
    ProviderKeyRejected: { unit: 'Count', services: ['embedding', 'search'] },
    OldestPendingSeconds: { unit: 'Seconds', services: ['sweeper'] },
    LeaseRecoveries: { unit: 'Count', services: ['sweeper'] },
    SendFailures: { unit: 'Count', services: ['documents', 'embedding', 'sweeper'] },
  },
} as const satisfies {
  namespace: string
  dimension: string
  names: Record<string, { unit: string; services: readonly LambdaName[] }>
}

export type MetricName = keyof typeof metrics.names

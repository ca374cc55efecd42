import type { MetricName } from '../shared/metrics.ts'

export interface Lambda {
  entry: string
  memoryMb: number
  timeoutSeconds: number
  /** Connects to the database as a role of its own: `cuecard_` and the Lambda's name. */
  database?: true
  /** Paths of the HTTP API, each for any method: the functions respond with 405 themselves. */
  routes?: readonly string[]
  everySeconds?: number
  /** Folders beside the entry that it reads at run time; they are deployed next to the bundle. */
  folders?: readonly string[]
}

const agentPath = '/v1/agents/{agentId}/knowledge-base'
const documentPath = `${agentPath}/{documentId}`

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
    routes: [`${agentPath}/search`, `${agentPath}/search/prefetch`],
  },
  mcp: {
    entry: 'functions/mcp/handler.ts',
    database: true,
    memoryMb: 512,
    timeoutSeconds: 29,
    routes: ['/v1/agents/{agentId}/mcp'],
  },
  platforms: {
    entry: 'functions/platforms/handler.ts',
    database: true,
    memoryMb: 512,
    timeoutSeconds: 29,
    routes: [`${agentPath}/vapi`, `${agentPath}/retell`],
  },
  organization: {
    entry: 'functions/organization/handler.ts',
    database: true,
    memoryMb: 512,
    timeoutSeconds: 29,
    routes: ['/v1/organization'],
  },
  agents: {
    entry: 'functions/agents/handler.ts',
    database: true,
    memoryMb: 512,
    timeoutSeconds: 29,
    routes: ['/v1/agents', '/v1/agents/{agentId}'],
  },
  reference: {
    entry: 'functions/reference/handler.ts',
    memoryMb: 512,
    timeoutSeconds: 29,
    routes: ['$default'],
    folders: ['browser', 'guides'],
  },
  embedding: { entry: 'functions/embedding/handler.ts', database: true, memoryMb: 1024, timeoutSeconds: 120 },
  sweeper: {
    entry: 'functions/sweeper/handler.ts',
    database: true,
    memoryMb: 512,
    timeoutSeconds: 50,
    everySeconds: 60,
  },
} as const satisfies Record<string, Lambda>

export type LambdaName = keyof typeof lambdas

export type DatabaseUser = {
  [Name in LambdaName]: (typeof lambdas)[Name] extends { database: true } ? Name : never
}[LambdaName]

export const queue = {
  // AWS recommends at least six times the function's time-out, so that throttled batches are not delivered twice.
  visibilityTimeoutSeconds: 6 * lambdas.embedding.timeoutSeconds,
  maxReceiveCount: 5,
  batchSize: 10,
  maximumConcurrency: 10,
  retentionDays: 4,
  // Longer than the source's: a dead letter keeps its original timestamp.
  deadLetterRetentionDays: 14,
} as const

/** Those that search: they read what the documents' Lambdas and the pipeline write, and call the provider. */
export const answering = ['search', 'mcp', 'platforms'] as const satisfies LambdaName[]

export const metricReporters = {
  DocumentsCompleted: ['embedding'],
  DocumentsFailed: ['embedding', 'sweeper'],
  DocumentsRetried: ['embedding'],
  ChunksEmbedded: ['embedding'],
  ChunksReused: ['embedding'],
  EmbeddingTokens: ['embedding', ...answering],
  PendingMilliseconds: ['embedding'],
  ProviderLatency: ['embedding', ...answering],
  ProviderErrors: ['embedding', ...answering],
  ProviderKeyRejected: ['embedding', ...answering],
  ProviderHedges: answering,
  QueryVectorHits: answering,
  QueryVectorMisses: answering,
  SearchesDegraded: answering,
  OldestPendingSeconds: ['sweeper'],
  LeaseRecoveries: ['sweeper'],
  SendFailures: ['documents', 'embedding', 'sweeper'],
} as const satisfies Record<MetricName, readonly LambdaName[]>

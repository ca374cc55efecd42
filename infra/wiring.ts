import type { MetricName } from '../shared/telemetry/metrics.ts'

export interface Lambda {
  entry: string
  memoryMb: number
  timeoutSeconds: number
  /** Limits of V8’s heap, which otherwise grows to nearly twice what the work needs. */
  heap?: { semiSpaceMb: number; oldSpaceMb: number }
  /** Connects to the database as its own role: `cuecard_` and the Lambda's name. */
  database?: true
  /** Paths of the HTTP API, each for any method: the functions respond with 405 themselves. */
  routes?: readonly string[]
  everySeconds?: number
  /** Folders beside the entry that it reads at run time; they are deployed next to the bundle. */
  folders?: readonly string[]
  /** Programs that it runs in processes of their own: bundled beside the handler, under these names. */
  programs?: Readonly<Record<string, string>>
  /** A package with native code, deployed as it is for the platform of the Lambda. */
  nativePackage?: string
  /** Files of packages that it loads at run time, deployed as they are. */
  packageFiles?: readonly string[]
}

const agentPath = '/v1/agents/{agentId}/knowledge-base'
const checkPath = '/v1/agents/{agentId}/golden-questions'
const documentPath = `${agentPath}/{documentId}`
const sourcePath = '/v1/agents/{agentId}/sources'
const connectPath = '/v1/agents/{agentId}/connect/mcp'

/** A whole vCPU: search ranks with it, and the encoder embeds, which needs only a quarter of the memory. */
export const wholeCpuMb = 1769

const api = { database: true, memoryMb: 512, timeoutSeconds: 29 } as const
const ranking = { ...api, memoryMb: wholeCpuMb } as const

export const lambdas = {
  documents: {
    ...api,
    entry: 'functions/documents/handler.ts',
    routes: [
      agentPath,
      `${agentPath}/batch`,
      `${agentPath}/files`,
      `${agentPath}/by-external-id/{externalId+}`,
      // Otherwise, API Gateway would prefer the route of a document’s chunks, which has no greedy variable.
      `${agentPath}/by-external-id/chunks`,
      documentPath,
      `${documentPath}/uploaded`,
      `${documentPath}/restore`,
      ...['', '/{revision}', '/{revision}/restore'].map((path) => `${documentPath}/revisions${path}` as const),
    ],
  },
  chunks: { ...api, entry: 'functions/chunks/handler.ts', routes: [`${documentPath}/chunks`] },
  search: {
    ...ranking,
    entry: 'functions/search/handler.ts',
    routes: [`${agentPath}/search`, `${agentPath}/search/prefetch`],
  },
  /** Most of its requests wait for changes. */
  snapshot: { ...api, memoryMb: 256, entry: 'functions/snapshot/handler.ts', routes: [`${agentPath}/snapshot`] },
  mcp: { ...ranking, entry: 'functions/mcp/handler.ts', routes: ['/v1/agents/{agentId}/mcp', connectPath] },
  platforms: {
    ...ranking,
    entry: 'functions/platforms/handler.ts',
    routes: [`${agentPath}/vapi`, `${agentPath}/retell`],
  },
  /** The authorization server of MCP clients; its consent is a screen of the dashboard. */
  connect: {
    ...api,
    entry: 'functions/connect/handler.ts',
    routes: [
      `/.well-known/oauth-protected-resource${connectPath}`,
      '/.well-known/oauth-authorization-server/connect',
      ...['token', 'register', 'revoke'].map((name) => `/connect/${name}` as const),
    ],
  },
  organization: {
    ...api,
    entry: 'functions/organization/handler.ts',
    routes: [
      ...['/v1/organization', '/v1/organization/usage', '/v1/webhooks'],
      ...['', '/rotate-secret', '/test', '/deliveries', '/deliveries/{deliveryId}/replay'].map(
        (path) => `/v1/webhooks/{webhookId}${path}` as const,
      ),
    ],
  },
  agents: {
    ...api,
    entry: 'functions/agents/handler.ts',
    routes: [
      '/v1/agents',
      '/v1/agents/{agentId}',
      sourcePath,
      ...['', '/pages', '/refresh', '/restore'].map((path) => `${sourcePath}/{sourceId}${path}` as const),
    ],
  },
  questions: {
    ...api,
    entry: 'functions/questions/handler.ts',
    routes: [
      ...['/v1/agents/{agentId}/questions', '/v1/agents/{agentId}/questions/batch'],
      ...[checkPath, `${checkPath}/run`, `${checkPath}/{goldenQuestionId}`],
    ],
  },
  dashboard: {
    ...api,
    entry: 'functions/dashboard/handler.ts',
    routes: ['/dashboard', '/dashboard/{proxy+}'],
    folders: ['assets'],
  },
  reference: {
    entry: 'functions/reference/handler.ts',
    memoryMb: 512,
    timeoutSeconds: 29,
    routes: ['$default'],
    folders: ['browser', 'guides'],
  },
  embedding: {
    entry: 'functions/embedding/handler.ts',
    database: true,
    memoryMb: 1024,
    timeoutSeconds: 120,
    // A batch of ten documents of 4 MiB fails with 96 MB of old space, and is no slower with 256.
    heap: { semiSpaceMb: 4, oldSpaceMb: 384 },
  },
  extraction: {
    entry: 'functions/extraction/handler.ts',
    database: true,
    memoryMb: 2048,
    // A scan of 30 pages takes four minutes; its lease is renewed page by page.
    timeoutSeconds: 300,
    programs: { reader: 'functions/extraction/text/reader.ts' },
    nativePackage: '@firecrawl/anydoc',
    packageFiles: [
      'tesseract.js-core/tesseract-core-relaxedsimd-lstm.{js,wasm}',
      '@tesseract.js-data/{deu,eng}/4.0.0_best_int/*',
    ],
  },
  crawler: {
    entry: 'functions/crawler/handler.ts',
    database: true,
    memoryMb: 1024,
    // A crawl may take hours, and continues with another message.
    timeoutSeconds: 300,
  },
  sweeper: {
    entry: 'functions/sweeper/handler.ts',
    database: true,
    memoryMb: 512,
    timeoutSeconds: 50,
    everySeconds: 60,
  },
  /** Looks for events every second for 50 of its 75 seconds, and leaves the rest for the last receivers to answer. */
  delivery: {
    entry: 'functions/delivery/handler.ts',
    database: true,
    memoryMb: 512,
    timeoutSeconds: 75,
    everySeconds: 60,
  },
  /** Calls the API from outside, as a customer does: it knows only the public address and a key. */
  canary: {
    entry: 'functions/canary/handler.ts',
    memoryMb: 256,
    timeoutSeconds: 120,
    everySeconds: 300,
    // Its runs show that Lambda's runtime keeps to such limits.
    heap: { semiSpaceMb: 4, oldSpaceMb: 128 },
  },
} as const satisfies Record<string, Lambda>

export type LambdaName = keyof typeof lambdas

export const lambdaNames = Object.keys(lambdas) as LambdaName[]

/** Lambdas that serve requests. */
export const serving = lambdaNames.filter((name) => 'routes' in lambdas[name])

/** The alias of each Lambda that requests, messages and schedules reach. */
export const aliasName = 'live'

export type DatabaseUser = {
  [Name in LambdaName]: (typeof lambdas)[Name] extends { database: true } ? Name : never
}[LambdaName]

export const isDatabaseUser = (name: LambdaName): name is DatabaseUser => 'database' in lambdas[name]

export const databaseUsers = lambdaNames.filter(isDatabaseUser)

/** Seconds after which the database ends a statement of the Lambda's login, unless it has its own limit. */
export const statementSeconds: Readonly<Record<DatabaseUser, number>> = {
  documents: 12,
  chunks: 12,
  search: 8,
  snapshot: 12,
  mcp: 8,
  connect: 12,
  platforms: 8,
  organization: 12,
  agents: 27,
  questions: 12,
  dashboard: 12,
  embedding: 70,
  extraction: 35,
  crawler: 35,
  sweeper: 45,
  delivery: 12,
}

/** Each queue has the name of the Lambda that works on it. */
export type QueueName = 'embedding' | 'extraction' | 'crawler'

const anyQueue = {
  maxReceiveCount: 5,
  retentionDays: 4,
  // Longer than the source's: a dead letter keeps its original timestamp.
  deadLetterRetentionDays: 14,
} as const

export const queues = {
  embedding: {
    ...anyQueue,
    visibilityTimeoutSeconds: visibilityTimeoutOf('embedding'),
    batchSize: 10,
    maximumConcurrency: 10,
  },
  extraction: {
    ...anyQueue,
    visibilityTimeoutSeconds: visibilityTimeoutOf('extraction'),
    // A file may need all of a Lambda's memory and time.
    batchSize: 1,
    maximumConcurrency: 5,
  },
  crawler: {
    ...anyQueue,
    visibilityTimeoutSeconds: visibilityTimeoutOf('crawler'),
    // A crawl mostly pauses between its requests, but a page may need all of a Lambda's memory.
    batchSize: 1,
    maximumConcurrency: 5,
  },
} as const satisfies Record<QueueName, object>

export const queueNames = Object.keys(queues) as QueueName[]

export function ofQueues<T>(make: (name: QueueName) => T): Record<QueueName, T> {
  return Object.fromEntries(queueNames.map((name) => [name, make(name)])) as Record<QueueName, T>
}

// AWS recommends at least six times the function's time-out, so that throttled batches are not delivered twice.
function visibilityTimeoutOf(name: QueueName): number {
  return 6 * lambdas[name].timeoutSeconds
}

/** Lambdas that answer callers' questions. */
export const answering = ['search', 'mcp', 'platforms'] as const satisfies LambdaName[]

/** Lambdas that embed questions. */
const asking = [...answering, 'questions', 'dashboard'] as const satisfies LambdaName[]

/** Lambdas that embed. */
export const embedding = ['embedding', ...asking] as const satisfies LambdaName[]

/** What reports a metric: a worker itself, or Lambdas together, because CloudWatch bills each metric of each reporter. */
export type Reporter = LambdaName | 'answers' | 'api'

const requests = ['answers', 'api'] as const

/** The Lambdas that answer callers' questions report together, and so do the others that serve. Each one's log has its own figures. */
export const reporterOf = (name: LambdaName): Reporter => (answering.some((each) => each === name) ? 'answers' : 'api')

export const metricReporters = {
  DocumentsCompleted: ['embedding'],
  DocumentsFailed: ['embedding', 'extraction', 'sweeper'],
  DocumentsRetried: ['embedding', 'extraction'],
  DocumentsPostponed: ['embedding'],
  FilesExtracted: ['extraction'],
  ExtractionMilliseconds: ['extraction'],
  ChunksEmbedded: ['embedding'],
  ChunksReused: ['embedding'],
  EmbeddingTokens: ['embedding', ...requests],
  PendingMilliseconds: ['embedding'],
  ProviderLatency: ['embedding', ...requests],
  ProviderErrors: ['embedding', ...requests],
  ProviderKeyRejected: ['embedding', ...requests],
  ProviderHedges: requests,
  QueryVectorHits: requests,
  QueryVectorMisses: requests,
  SearchesDegraded: requests,
  SearchesLimited: requests,
  QuestionsNotKept: ['answers'],
  ClaimsNotKept: ['embedding', 'api'],
  OldestPendingSeconds: ['sweeper'],
  LeaseRecoveries: ['sweeper'],
  SendFailures: ['api', 'embedding', 'extraction', 'crawler', 'sweeper'],
  SourcesChecked: ['crawler'],
  SourcesFailed: ['crawler'],
  PagesFetched: ['crawler'],
  OldestDueSourceSeconds: ['sweeper'],
  SearchMilliseconds: requests,
  SearchEmbedMilliseconds: requests,
  SearchDatabaseMilliseconds: requests,
  AdapterErrors: ['answers'],
  MailsFailed: ['api'],
  WebhooksDelivered: ['delivery'],
  WebhooksFailed: ['delivery'],
  OldestDeliverySeconds: ['delivery'],
  CanarySuccess: ['canary'],
  CanaryCreateMilliseconds: ['canary'],
  CanaryCompleteMilliseconds: ['canary'],
  CanarySearchMilliseconds: ['canary'],
  CanaryDeleteMilliseconds: ['canary'],
} as const satisfies Record<MetricName, readonly Reporter[]>

/** `npm run backup` counts complete backups under this name instead of a Lambda's. The alarm _backup-missing_ watches the metric. */
export const completedBackups = { metric: 'BackupsCompleted', reporterOf: (stack: string) => `${stack}-backup` }

import { channel } from 'node:diagnostics_channel'
import { config } from '../config.ts'

export const metrics = {
  DocumentsCompleted: 'Count',
  DocumentsFailed: 'Count',
  DocumentsRetried: 'Count',
  DocumentsPostponed: 'Count',
  FilesExtracted: 'Count',
  ExtractionMilliseconds: 'Milliseconds',
  ChunksEmbedded: 'Count',
  ChunksReused: 'Count',
  EmbeddingTokens: 'Count',
  PendingMilliseconds: 'Milliseconds',
  ProviderLatency: 'Milliseconds',
  ProviderErrors: 'Count',
  ProviderKeyRejected: 'Count',
  ProviderHedges: 'Count',
  QueryVectorHits: 'Count',
  QueryVectorMisses: 'Count',
  SearchesDegraded: 'Count',
  SearchesLimited: 'Count',
  QuestionsNotKept: 'Count',
  ClaimsNotKept: 'Count',
  OldestPendingSeconds: 'Seconds',
  LeaseRecoveries: 'Count',
  SourcesChecked: 'Count',
  SourcesFailed: 'Count',
  PagesFetched: 'Count',
  OldestDueSourceSeconds: 'Seconds',
  SendFailures: 'Count',
  SearchMilliseconds: 'Milliseconds',
  SearchEmbedMilliseconds: 'Milliseconds',
  SearchDatabaseMilliseconds: 'Milliseconds',
  AdapterErrors: 'Count',
  MailsFailed: 'Count',
  WebhooksDelivered: 'Count',
  WebhooksFailed: 'Count',
  OldestDeliverySeconds: 'Seconds',
  CanarySuccess: 'Count',
  CanaryCreateMilliseconds: 'Milliseconds',
  CanaryCompleteMilliseconds: 'Milliseconds',
  CanarySearchMilliseconds: 'Milliseconds',
  CanaryDeleteMilliseconds: 'Milliseconds',
} as const

export type MetricName = keyof typeof metrics
export type Figures = Partial<Record<MetricName, number>>

export const namespace = 'Cuecard'
/** The one dimension: the name of the reporter, which includes the stage, so that stages do not mix. */
export const dimension = 'service'
const { AWS_LAMBDA_FUNCTION_NAME: lambda, METRICS_OF: service = lambda } = config()
export const figures = channel('cuecard.metrics')

/** Zeros are reported; undefined is not. */
export function report(values: Figures): void {
  figures.publish(values)
  if (service) console.log(embeddedMetrics(values, service, Date.now()))
}

/** A log line in CloudWatch's embedded metric format: no call, and no buffer that a freeze could hold back. */
export function embeddedMetrics(values: Figures, reporter: string, timestamp: number): string {
  const names = (Object.keys(values) as MetricName[]).filter((name) => values[name] !== undefined)
  const definitions = names.map((Name) => ({ Name, Unit: metrics[Name] }))
  return JSON.stringify({
    _aws: {
      Timestamp: timestamp,
      CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [[dimension]], Metrics: definitions }],
    },
    [dimension]: reporter,
    ...Object.fromEntries(names.map((name) => [name, values[name]])),
  })
}

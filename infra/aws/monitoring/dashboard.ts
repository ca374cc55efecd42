import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  Metric,
  PeriodOverride,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import type { MetricName } from '../../../shared/metrics.ts'
import { answering, type LambdaName, metricReporters } from '../../wiring.ts'
import type { WorkQueue } from '../queue.ts'
import type { StageSettings } from '../stages.ts'
import { reportedBy, type Watched } from './metric.ts'

export function createDashboard(
  scope: Construct,
  name: string,
  { http, functions, migrate, work, alarms }: Watched & { alarms: Alarm[] },
  settings: StageSettings,
): void {
  const lambdas = [...Object.values(functions), migrate]
  const timeGraph = (title: string, metric: MetricName, lambda: LambdaName) =>
    graph(
      title,
      percentiles((statistic) => reportedBy(name, metric, lambda, statistic)),
    )
  const dashboard = new Dashboard(scope, 'dashboard', { dashboardName: name, periodOverride: PeriodOverride.AUTO })
  dashboard.addWidgets(
    new TextWidget({ markdown: `# ${name}\n[Runbook](${settings.runbookUrl})`, width: 6, height: 4 }),
    new AlarmStatusWidget({ alarms, width: 18, height: 4 }),
  )
  dashboard.addWidgets(
    graph('Requests', [http.api.metricCount(), http.api.metricClientError(), http.api.metricServerError()]),
    graph(
      'Request time, ms',
      percentiles((statistic) => http.api.metricLatency({ statistic })),
    ),
    graph('Trouble in responses with 200', sums(name, 'AdapterErrors')),
  )
  dashboard.addWidgets(
    timeGraph('Search time, ms', 'SearchMilliseconds', 'search'),
    timeGraph('of which the vector of the question, ms', 'SearchEmbedMilliseconds', 'search'),
    timeGraph('of which the database, ms', 'SearchDatabaseMilliseconds', 'search'),
    graph(
      'Search time by Lambda, p95 ms',
      answering.map((lambda) => reportedBy(name, 'SearchMilliseconds', lambda, 'p95')),
    ),
    timeGraph('Provider time of searches, ms', 'ProviderLatency', 'search'),
    graph('The canary', sums(name, 'CanarySuccess')),
    graph(
      'The canary: time, ms',
      (['Create', 'Complete', 'Search', 'Delete'] as const).map((step) =>
        reportedBy(name, `Canary${step}Milliseconds`, 'canary', 'Maximum').with({ label: step }),
      ),
    ),
  )
  dashboard.addWidgets(
    graph('Vectors of questions', sums(name, 'QueryVectorHits', 'QueryVectorMisses')),
    graph('Questions missing in the log', sums(name, 'QuestionsNotKept')),
    graph('Searches without meaning', sums(name, 'SearchesDegraded', 'SearchesLimited')),
    graph('Second calls to the provider', sums(name, 'ProviderHedges')),
  )
  dashboard.addWidgets(
    graph(
      'Documents',
      sums(name, 'DocumentsCompleted', 'DocumentsFailed', 'DocumentsRetried', 'DocumentsPostponed', 'FilesExtracted'),
    ),
    graph('Oldest pending document, s', [reportedBy(name, 'OldestPendingSeconds', 'sweeper', 'Maximum')]),
    graph('Recovered', sums(name, 'LeaseRecoveries', 'SendFailures')),
    timeGraph('Pending to completed, ms', 'PendingMilliseconds', 'embedding'),
  )
  dashboard.addWidgets(
    ...queueGraphs('Queue', work.embedding),
    graph('Chunks', sums(name, 'ChunksEmbedded', 'ChunksReused')),
  )
  dashboard.addWidgets(
    ...queueGraphs('Files', work.extraction),
    timeGraph('Extraction time, ms', 'ExtractionMilliseconds', 'extraction'),
  )
  dashboard.addWidgets(
    graph('Provider', sums(name, 'ProviderErrors', 'ProviderKeyRejected')),
    timeGraph('Provider time of documents, ms', 'ProviderLatency', 'embedding'),
    graph('Tokens embedded', sums(name, 'EmbeddingTokens')),
  )
  dashboard.addWidgets(
    graph(
      'Lambda errors',
      lambdas.map((lambda) => lambda.metricErrors({ label: lambda.functionName })),
    ),
    graph(
      'Lambda time, p99 ms',
      lambdas.map((lambda) => lambda.metricDuration({ statistic: 'p99', label: lambda.functionName })),
    ),
    graph(
      'Lambda throttles',
      lambdas.map((lambda) => lambda.metricThrottles({ label: lambda.functionName })),
    ),
  )
}

function queueGraphs(title: string, work: WorkQueue): GraphWidget[] {
  return [
    graph(title, [
      work.queue.metricApproximateNumberOfMessagesVisible(),
      work.queue.metricApproximateNumberOfMessagesNotVisible(),
      quietGroups(work, 'ApproximateNumberOfMessagesVisibleInQuietGroups', 'visible in quiet groups'),
      work.deadLetters.metricApproximateNumberOfMessagesVisible({ label: 'dead letters' }),
    ]),
    graph(`${title}: oldest message, s`, [
      work.queue.metricApproximateAgeOfOldestMessage(),
      quietGroups(work, 'ApproximateAgeOfOldestMessageInQuietGroups', 'oldest in quiet groups'),
    ]),
  ]
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6, leftYAxis: { min: 0 } })
}

function percentiles(metric: (statistic: string) => Metric): IMetric[] {
  return ['p50', 'p95', 'p99'].map((statistic) => metric(statistic).with({ label: statistic }))
}

function sums(stack: string, ...names: MetricName[]): IMetric[] {
  return names.flatMap((name) => metricReporters[name].map((lambda) => reportedBy(stack, name, lambda, 'Sum')))
}

/** Fair queues have separate metrics for organizations without a backlog, whose documents should not wait. */
function quietGroups(work: WorkQueue, metricName: string, label: string): Metric {
  return new Metric({
    namespace: 'AWS/SQS',
    metricName,
    dimensionsMap: { QueueName: work.queue.queueName },
    statistic: 'Maximum',
    label,
  })
}

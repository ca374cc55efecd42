import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { MetricName } from '../../../shared/telemetry/metrics.ts'
import { metricReporters, type Reporter } from '../../wiring.ts'
import type { WorkQueue } from '../queue.ts'
import type { StageSettings } from '../stages.ts'
import { reportedBy, type Watched } from './metric.ts'

export function createDashboard(
  scope: Construct,
  name: string,
  { http, functions, migrate, work, alarms }: Watched & { alarms: cloudwatch.Alarm[] },
  settings: StageSettings,
): void {
  const timeGraph = (title: string, metric: MetricName, reporter: Reporter) =>
    percentileGraph(title, (statistic) => reportedBy(name, metric, reporter, statistic))
  const lambdaGraph = (title: string, metric: (lambda: IFunction) => cloudwatch.Metric) => {
    const lambdas = [...Object.values(functions), migrate]
    return graph(
      title,
      lambdas.map((lambda) => metric(lambda).with({ label: lambda.functionName })),
    )
  }
  const canaryTimes = (['Create', 'Complete', 'Search', 'Delete'] as const).map((step) =>
    reportedBy(name, `Canary${step}Milliseconds`, 'canary', 'Maximum').with({ label: step }),
  )
  const dashboard = new cloudwatch.Dashboard(scope, 'dashboard', {
    dashboardName: name,
    periodOverride: cloudwatch.PeriodOverride.AUTO,
  })
  dashboard.addWidgets(
    new cloudwatch.TextWidget({ markdown: `# ${name}\n[Runbook](${settings.runbookUrl})`, width: 6, height: 4 }),
    new cloudwatch.AlarmStatusWidget({ alarms, width: 18, height: 4 }),
  )
  dashboard.addWidgets(
    graph('Requests', [http.api.metricCount(), http.api.metricClientError(), http.api.metricServerError()]),
    percentileGraph('Request time, ms', (statistic) => http.api.metricLatency({ statistic })),
    graph('Trouble in responses with 200', sums(name, 'AdapterErrors', 'MailsFailed')),
  )
  dashboard.addWidgets(
    timeGraph('Search time, ms', 'SearchMilliseconds', 'answers'),
    timeGraph('of which the vector of the question, ms', 'SearchEmbedMilliseconds', 'answers'),
    timeGraph('of which the database, ms', 'SearchDatabaseMilliseconds', 'answers'),
    timeGraph('Provider time of searches, ms', 'ProviderLatency', 'answers'),
    graph('The canary', sums(name, 'CanarySuccess')),
    graph('The canary: time, ms', canaryTimes),
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
    graph('Documents not compared', sums(name, 'ClaimsNotKept')),
  )
  dashboard.addWidgets(
    ...queueGraphs('Files', work.extraction),
    timeGraph('Extraction time, ms', 'ExtractionMilliseconds', 'extraction'),
  )
  dashboard.addWidgets(
    ...queueGraphs('Sources', work.crawler),
    graph('Sources and pages', sums(name, 'SourcesChecked', 'SourcesFailed', 'PagesFetched')),
    graph('Oldest due source, s', [reportedBy(name, 'OldestDueSourceSeconds', 'sweeper', 'Maximum')]),
  )
  dashboard.addWidgets(
    graph('Provider', sums(name, 'ProviderErrors', 'ProviderKeyRejected')),
    timeGraph('Provider time of documents, ms', 'ProviderLatency', 'embedding'),
    graph('Tokens embedded', sums(name, 'EmbeddingTokens')),
  )
  dashboard.addWidgets(
    graph('Events for webhooks', sums(name, 'WebhooksDelivered', 'WebhooksFailed')),
    graph('Oldest event for a webhook, s', [reportedBy(name, 'OldestDeliverySeconds', 'delivery', 'Maximum')]),
  )
  dashboard.addWidgets(
    lambdaGraph('Lambda errors', (lambda) => lambda.metricErrors()),
    lambdaGraph('Lambda time, p99 ms', (lambda) => lambda.metricDuration({ statistic: 'p99' })),
    lambdaGraph('Lambda throttles', (lambda) => lambda.metricThrottles()),
  )
}

function queueGraphs(title: string, work: WorkQueue): cloudwatch.GraphWidget[] {
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

function graph(title: string, left: cloudwatch.IMetric[]): cloudwatch.GraphWidget {
  return new cloudwatch.GraphWidget({ title, left, width: 8, height: 6, leftYAxis: { min: 0 } })
}

function percentileGraph(title: string, metric: (statistic: string) => cloudwatch.Metric): cloudwatch.GraphWidget {
  const metrics = ['p50', 'p95', 'p99'].map((statistic) => metric(statistic).with({ label: statistic }))
  return graph(title, metrics)
}

function sums(stack: string, ...names: MetricName[]): cloudwatch.IMetric[] {
  return names.flatMap((name) => metricReporters[name].map((reporter) => reportedBy(stack, name, reporter, 'Sum')))
}

/** A fair queue has separate metrics for organizations without a backlog, whose documents should not wait. */
function quietGroups(work: WorkQueue, metricName: string, label: string): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: 'AWS/SQS',
    metricName,
    dimensionsMap: { QueueName: work.queue.queueName },
    statistic: 'Maximum',
    label,
  })
}

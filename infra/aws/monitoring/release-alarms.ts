import { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { aliasName, type LambdaName, serving } from '../../wiring.ts'
import { type AlarmSettings, failureRate, type Watched } from './metric.ts'

const period = Duration.minutes(1)
const page = 'deploy'

export function releaseAlarmsOf(name: LambdaName): string[] {
  return [`${name}-release`, 'release-errors']
}

/** These alarms take two minutes where the others take ten, because a shift lasts five. */
export function releaseAlarms(scope: Construct, stack: string, watched: Watched): Record<string, AlarmSettings> {
  const { http, aliases, functions } = watched
  const ofVersions = serving.map((name): [string, AlarmSettings] => {
    const { lambda, version } = aliases[name]
    const metric = new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Errors',
      // Lambda reports it only while the alias has two versions. The previous version's errors stop no deploy.
      dimensionsMap: {
        FunctionName: lambda.functionName,
        Resource: `${lambda.functionName}:${aliasName}`,
        ExecutedVersion: version.version,
      },
      statistic: 'Sum',
      period,
    })
    const text = `The new version of the ${name} Lambda crashes or times out, so a deploy under way rolls back.`
    return [`${name}-release`, { metric, threshold: 2, text, page }]
  })
  // Counts only unexpected errors. Strangers can cause rejected and throttled requests, so those stop no deploy.
  const filters = serving.map(
    (name) =>
      new MetricFilter(scope, `${name}-unexpected-errors`, {
        logGroup: functions[name].logGroup,
        filterPattern: FilterPattern.stringValue('$.message', '=', 'unexpected_error'),
        metricNamespace: stack,
        metricName: 'UnexpectedErrors',
        metricValue: '1',
      }),
  )
  const errors = filters[0]!.metric({ statistic: 'Sum', period })
  return {
    ...Object.fromEntries(ofVersions),
    'release-errors': {
      metric: failureRate(errors, http.api.metricCount({ period }), period),
      threshold: 2,
      text: 'At least 2 % of the requests within a minute end in an unexpected error.',
      page,
    },
  }
}

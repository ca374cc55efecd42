import { Duration } from 'aws-cdk-lib'
import { type IMetric, MathExpression, Metric, type TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { Alias, IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { dimension, type MetricName, namespace } from '../../../shared/telemetry/metrics.ts'
import { type LambdaName, metricReporters, type QueueName, type Reporter } from '../../wiring.ts'
import type { Api } from '../http-api.ts'
import type { WorkQueue } from '../queue.ts'

export type Watched = {
  readonly http: Api
  readonly functions: Readonly<Record<LambdaName, LambdaFunction>>
  readonly aliases: Readonly<Record<LambdaName, Alias>>
  readonly migrate: IFunction
  readonly work: Readonly<Record<QueueName, WorkQueue>>
}

export type AlarmSettings = {
  readonly metric: IMetric
  /** The alarm is raised at or above it, by default 1, or below it if missing data is breaching. */
  readonly threshold?: number
  readonly periods?: number
  readonly missing?: TreatMissingData
  readonly text: string
  /** The runbook's page, without `.md`. */
  readonly page: string
}

export function total(
  stack: string,
  name: MetricName,
  period: Duration,
  reporters: readonly Reporter[] = metricReporters[name],
): IMetric {
  const parts = reporters.map((reporter) => reportedBy(stack, name, reporter, 'Sum', period))
  return sum(name, parts, period)
}

export function reportedBy(
  stack: string,
  name: MetricName,
  reporter: Reporter,
  statistic: string,
  period = Duration.minutes(1),
): Metric {
  return new Metric({
    namespace,
    metricName: name,
    dimensionsMap: { [dimension]: `${stack}-${reporter}` },
    statistic,
    period,
    label: metricReporters[name].length > 1 ? `${name} (${reporter})` : name,
  })
}

/** The sum of metrics; a missing value counts as zero. CloudWatch allows an alarm on at most ten of them. */
function sum(label: string, parts: readonly IMetric[], period: Duration): IMetric {
  if (parts.length === 1) return parts[0]!
  const usingMetrics = Object.fromEntries(parts.map((part, index) => [`m${index}`, part]))
  const terms = Object.keys(usingMetrics).map((id) => `FILL(${id}, 0)`)
  return new MathExpression({ expression: terms.join(' + '), usingMetrics, label, period })
}

/** Replaces missing values by zero, because an alarm on missing values would first look for older ones. */
export function filled(metric: IMetric, period: Duration): IMetric {
  return new MathExpression({ expression: 'FILL(m0, 0)', usingMetrics: { m0: metric }, period })
}

/** The percentage of `all` that failed. Zero below five failures, because one in a quiet night is no outage. */
export function failureRate(failed: IMetric, all: IMetric, period: Duration): MathExpression {
  const expression = 'IF(failed >= 5, 100 * failed / all, 0)'
  return new MathExpression({ expression, usingMetrics: { failed, all }, label: 'failed, %', period })
}

export function throttlesOf(functions: readonly IFunction[]): AlarmSettings {
  const period = Duration.minutes(5)
  const throttles = functions.map((lambda) => lambda.metricThrottles({ statistic: 'Sum', period }))
  return {
    metric: sum('Throttles', throttles, period),
    periods: 2,
    text: 'A Lambda has reached its reserved concurrency, or the account its limit.',
    page: 'scaling',
  }
}

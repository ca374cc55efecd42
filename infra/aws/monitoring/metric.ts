import { Duration } from 'aws-cdk-lib'
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { dimension, type MetricName, namespace } from '../../../shared/metrics.ts'
import { type LambdaName, metricReporters } from '../../wiring.ts'

export function total(stack: string, name: MetricName, period = Duration.minutes(1)): IMetric {
  return sum(
    name,
    metricReporters[name].map((lambda) => reportedBy(stack, name, lambda, 'Sum', period)),
    period,
  )
}

export function reportedBy(
  stack: string,
  name: MetricName,
  lambda: LambdaName,
  statistic: string,
  period = Duration.minutes(1),
): Metric {
  return new Metric({
    namespace,
    metricName: name,
    dimensionsMap: { [dimension]: `${stack}-${lambda}` },
    statistic,
    period,
    label: metricReporters[name].length > 1 ? `${name} (${lambda})` : name,
  })
}

/** The sum of metrics; a missing value counts as zero. CloudWatch allows an alarm on at most ten of them. */
export function sum(label: string, parts: readonly IMetric[], period = Duration.minutes(1)): IMetric {
  const [first] = parts
  if (first && parts.length === 1) return first
  const usingMetrics = Object.fromEntries(parts.map((part, index) => [`m${index}`, part]))
  const terms = Object.keys(usingMetrics).map((id) => `FILL(${id}, 0)`)
  return new MathExpression({ expression: terms.join(' + '), usingMetrics, label, period })
}

/** The percentage of `all` that failed; zero below `minFailed`, as one failure in a quiet night is no outage. */
export function failureRate(failed: IMetric, all: IMetric, minFailed: number): MathExpression {
  return new MathExpression({
    expression: `IF(failed >= ${minFailed}, 100 * failed / all, 0)`,
    usingMetrics: { failed, all },
    label: 'failed, %',
    period: Duration.minutes(5),
  })
}

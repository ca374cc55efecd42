import { Duration } from 'aws-cdk-lib'
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { type LambdaName, type MetricName, metrics } from '../../wiring.ts'

/** One of our own figures, added up over the Lambdas that report it. */
export function total(stack: string, name: MetricName, period = Duration.minutes(1)): IMetric {
  return sum(
    name,
    metrics.names[name].services.map((service) => figure(stack, name, service, 'Sum', period)),
    period,
  )
}

/** One of our own figures as one Lambda reports it. */
export function figure(
  stack: string,
  name: MetricName,
  service: LambdaName,
  statistic: string,
  period = Duration.minutes(1),
): Metric {
  return new Metric({
    namespace: metrics.namespace,
    metricName: name,
    dimensionsMap: { [metrics.dimension]: `${stack}-${service}` },
    statistic,
    period,
    label: metrics.names[name].services.length > 1 ? `${name} (${service})` : name,
  })
}

/** The sum of metrics, where one without a value counts as zero. At most ten, or CloudWatch refuses an alarm on it. */
export function sum(label: string, parts: readonly IMetric[], period = Duration.minutes(1)): IMetric {
  const [first] = parts
  if (first && parts.length === 1) return first
  const usingMetrics = Object.fromEntries(parts.map((part, index) => [`m${index}`, part]))
  const terms = Object.keys(usingMetrics).map((id) => `FILL(${id}, 0)`)
  return new MathExpression({ expression: terms.join(' + '), usingMetrics, label, period })
}

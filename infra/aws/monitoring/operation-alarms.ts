import { Duration } from 'aws-cdk-lib'
import { MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { dimension, namespace } from '../../../shared/telemetry/metrics.ts'
import { completedBackups, lambdas } from '../../wiring.ts'
import type { StageSettings } from '../stages.ts'
import { type AlarmSettings, filled, reportedBy, total, type Watched } from './metric.ts'

/** EventBridge Scheduler is accurate to the minute. */
const precisionSeconds = 60

/** Minutes in which a working canary reports at least once, however late or early a run is. */
const canaryMinutes = (lambdas.canary.everySeconds + lambdas.canary.timeoutSeconds + precisionSeconds) / 60

export function operationAlarms(
  name: string,
  { migrate }: Watched,
  settings: StageSettings,
): Record<string, AlarmSettings> {
  const minute = Duration.minutes(1)
  const five = Duration.minutes(5)
  return {
    'canary-failing': {
      // Filled minute by minute, because CloudWatch looks for older data points before it counts one as missing.
      metric: filled(reportedBy(name, 'CanarySuccess', 'canary', 'Sum', minute), minute),
      periods: canaryMinutes,
      missing: TreatMissingData.BREACHING,
      text: 'The canary could not create, find and delete a document through the public API, or has not run.',
      page: 'canary-fails',
    },
    ...(settings.provider !== 'encoder' && {
      'provider-key-rejected': {
        metric: total(name, 'ProviderKeyRejected', five),
        text: 'The embedding provider rejects our key, URL or model, so nothing is embedded.',
        page: 'provider-outage',
      },
      'tokens-embedded': {
        metric: total(name, 'EmbeddingTokens', Duration.days(1)),
        threshold: settings.tokensPerDay,
        text: 'More tokens were embedded within a day than the stage expects, and the provider bills each.',
        page: 'limits-and-spend',
      },
    }),
    ...(settings.mailFrom && {
      'mails-failed': {
        metric: total(name, 'MailsFailed', five),
        text: 'SES has not accepted a mail, so somebody waits for a link to sign in or an invitation.',
        page: 'errors',
      },
    }),
    ...(settings.customDomain && {
      'certificate-expires': {
        metric: daysOver(settings.customDomain.certificateArn),
        text: 'The domain’s certificate expires within 29 days, because ACM could not renew it.',
        page: 'errors',
      },
    }),
    'migrate-errors': {
      metric: migrate.metricErrors({ statistic: 'Sum', period: Duration.minutes(15) }),
      text: 'A migration and its deploy have failed, and the old code still serves.',
      page: 'deploy',
    },
    ...(settings.isBackedUp && {
      'backup-missing': {
        metric: filled(completedBackupsOf(name), Duration.hours(1)),
        // A day, and two hours for a late scheduler.
        periods: 26,
        missing: TreatMissingData.BREACHING,
        text: 'No backup has been completed for 26 hours.',
        page: 'backup',
      },
    }),
  }
}

/** The days for which a certificate has had less than 30 left. ACM renews it 60 days before its end. */
function daysOver(CertificateArn: string): MathExpression {
  const own = { namespace: 'AWS/CertificateManager', metricName: 'DaysToExpiry', dimensionsMap: { CertificateArn } }
  const left = new Metric({ ...own, statistic: 'Minimum' })
  return new MathExpression({ expression: '30 - left', usingMetrics: { left }, period: Duration.days(1) })
}

function completedBackupsOf(stack: string): Metric {
  return new Metric({
    namespace,
    metricName: completedBackups.metric,
    dimensionsMap: { [dimension]: completedBackups.reporterOf(stack) },
    statistic: 'Sum',
    period: Duration.hours(1),
  })
}

import { Duration } from 'aws-cdk-lib'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { serving } from '../../wiring.ts'
import { type AlarmSettings, failureRate, reportedBy, throttlesOf, total, type Watched } from './metric.ts'

export function apiAlarms(scope: Construct, name: string, { http, functions }: Watched): Record<string, AlarmSettings> {
  const five = Duration.minutes(5)
  const quarter = Duration.minutes(15)
  const throttledRequests = new MetricFilter(scope, 'throttled-requests', {
    logGroup: http.accessLogs,
    filterPattern: FilterPattern.stringValue('$.status', '=', '429'),
    metricNamespace: name,
    metricName: 'RequestsThrottled',
    metricValue: '1',
    defaultValue: 0,
  })
  return {
    'api-errors': {
      metric: failureRate(http.api.metricServerError({ period: five }), http.api.metricCount({ period: five }), five),
      periods: 2,
      text: 'At least 1 % of the requests fail with a 5xx.',
      page: 'errors',
    },
    // The rate needs five failures in five minutes, twice. A quiet night has fewer requests.
    'api-errors-few': {
      metric: http.api.metricServerError({ statistic: 'Sum', period: quarter }),
      threshold: 3,
      text: 'At least three requests have failed with a 5xx within 15 minutes.',
      page: 'errors',
    },
    'search-slow': {
      metric: reportedBy(name, 'SearchMilliseconds', 'answers', 'p95', five),
      threshold: 1500,
      periods: 3,
      text: 'One search in twenty takes 1.5 s or more while a caller waits.',
      page: 'slow-searches',
    },
    'searches-degraded': {
      metric: total(name, 'SearchesDegraded', five),
      threshold: 5,
      periods: 2,
      text: 'Text searches match words only, because the embedding provider fails or is too slow.',
      page: 'provider-outage',
    },
    'adapter-errors': {
      metric: total(name, 'AdapterErrors', five),
      threshold: 3,
      text: 'Vapi or MCP clients get our errors in responses with status 200.',
      page: 'errors',
    },
    // An alarm has room for ten metrics. Another one watches `connect` with the workers. Programs that the snapshot Lambda has no room for poll.
    'lambda-throttles': throttlesOf(
      serving.filter((name) => name !== 'connect' && name !== 'snapshot').map((name) => functions[name]),
    ),
    'requests-throttled': {
      metric: throttledRequests.metric({ statistic: 'Sum', period: five }),
      threshold: 100,
      periods: 2,
      text: 'Many requests get 429, from the throttle of the stage or the limit of an organization.',
      page: 'limits-and-spend',
    },
  }
}

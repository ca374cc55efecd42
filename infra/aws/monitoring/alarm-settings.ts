import type { IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'

export type AlarmSettings = {
  readonly metric: IMetric
  /** Alarms at or above it; below it where missing data is breaching. */
  readonly threshold: number
  readonly periods: number
  readonly missing?: TreatMissingData
  readonly text: string
  /** Anchor in the runbook. */
  readonly heading: string
}

import type { IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { Alias, IFunction } from 'aws-cdk-lib/aws-lambda'
import type { LambdaName, QueueName } from '../../wiring.ts'
import type { Api } from '../http-api.ts'
import type { WorkQueue } from '../queue.ts'

/** What alarms and dashboard look at. */
export type Watched = {
  readonly http: Api
  readonly functions: Readonly<Record<LambdaName, IFunction>>
  readonly aliases: Readonly<Record<LambdaName, Alias>>
  readonly migrate: IFunction
  readonly work: Readonly<Record<QueueName, WorkQueue>>
}

export type AlarmSettings = {
  readonly metric: IMetric
  /** Alarms at or above it, by default 1; below it where missing data is breaching. */
  readonly threshold?: number
  readonly periods?: number
  readonly missing?: TreatMissingData
  readonly text: string
  /** Anchor in the runbook. */
  readonly heading: string
}

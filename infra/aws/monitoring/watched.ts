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

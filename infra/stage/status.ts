import { DescribeAlarmsCommand, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch'
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda'
import { dimension, namespace } from '../../shared/telemetry/metrics.ts'
import { checkDocuments } from '../admin/health.ts'
import { print } from '../command-line/print.ts'
import { sentenceOf } from '../command-line/sentence.ts'
import { aliasName, completedBackups, lambdaNames } from '../wiring.ts'
import { findStack, undefinedIfMissing } from './aws.ts'
import { accountChecks } from './checks/account.ts'
import { errorsIn, judgeAll, show } from './checks/check.ts'
import { inspect } from './checks/inspection.ts'
import { neonCheck } from './checks/neon.ts'
import { describedChecks, stateChecks } from './checks/stage.ts'
import type { Context } from './context.ts'

export interface StatusOptions {
  secrets?: true
}

/** Shows the stage's state. Fails if a check fails or an alarm is raised. Reads secrets only with `secrets`. */
export async function status(context: Context, { secrets: triesSecrets }: StatusOptions): Promise<void> {
  const { aws, stack, program, asJson, secrets, database } = context
  const inspected = await inspect(context)
  const ownerUrl = triesSecrets && (await secrets.read('database-owner')).value
  const findings = await judgeAll([
    ...accountChecks(context),
    ...(triesSecrets
      ? stateChecks(context, ownerUrl)
      : [...describedChecks(context), { subject: 'database', judge: async () => inspected.findings }]),
    neonCheck(context, inspected.compute),
  ])
  const found = await findStack(aws, stack)
  const state = found ? await stateOf(context) : undefined
  const documents = ownerUrl ? await checkDocuments(database(ownerUrl)).catch(unknown) : undefined
  const system = { stack: found?.StackStatus ?? 'not deployed', updated: found?.LastUpdatedTime ?? found?.CreationTime }
  const isWell = errorsIn(findings).length === 0 && !state?.alarms.length
  if (!isWell) program.exitCode = 1
  const { versions, ...rest } = { stage: context.stage, is_well: isWell, ...system, ...state, ...documents }
  if (asJson) return void print(program, { ...rest, versions, findings }, { asJson })
  show(program, findings)
  print(program, rest, { asJson })
  if (versions) print(program, { data: versions }, { asJson })
}

async function stateOf(context: Context) {
  const [alarms, canary, backup, versions] = await Promise.all([
    alarmsOf(context),
    lastOf(context, 'CanarySuccess', `${context.stack}-canary`, 1),
    lastOf(context, completedBackups.metric, completedBackups.reporterOf(context.stack), 8 * 24),
    Promise.all(lambdaNames.map((name) => versionOf(context, name))),
  ])
  return { alarms, canary_succeeded: canary, last_backup: backup, versions }
}

async function alarmsOf({ aws, stack }: Context): Promise<string[]> {
  const raised = new DescribeAlarmsCommand({ AlarmNamePrefix: `${stack}-`, StateValue: 'ALARM', MaxRecords: 100 })
  const { MetricAlarms = [], CompositeAlarms = [] } = await aws.metrics.send(raised)
  return [...MetricAlarms, ...CompositeAlarms].map(({ AlarmName = '' }) => AlarmName.slice(stack.length + 1))
}

/** The last time within the hours at which the metric was above zero. */
async function lastOf({ aws }: Context, metric: string, reporter: string, hours: number): Promise<Date | null> {
  const now = Date.now()
  const { Datapoints = [] } = await aws.metrics.send(
    new GetMetricStatisticsCommand({
      Namespace: namespace,
      MetricName: metric,
      Dimensions: [{ Name: dimension, Value: reporter }],
      ...{
        StartTime: new Date(now - hours * 3_600_000),
        EndTime: new Date(now),
        Period: hours * 60,
        Statistics: ['Sum'],
      },
    }),
  )
  const times = Datapoints.filter(({ Sum = 0 }) => Sum > 0).map(({ Timestamp }) => Timestamp!.getTime())
  return times.length > 0 ? new Date(Math.max(...times)) : null
}

async function versionOf({ aws, stack }: Context, lambda: string) {
  const asked = new GetFunctionConfigurationCommand({ FunctionName: `${stack}-${lambda}`, Qualifier: aliasName })
  const found = await aws.lambda.send(asked).catch(undefinedIfMissing)
  return { lambda, version: found?.Version ?? null, since: found?.LastModified ?? null }
}

const unknown = (error: unknown) => ({ documents: `unknown: ${sentenceOf(error)}` })

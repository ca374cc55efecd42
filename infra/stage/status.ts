import { DescribeAlarmsCommand, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch'
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda'
import { dimension, namespace } from '../../shared/metrics.ts'
import { checkDocuments } from '../admin/health.ts'
import { print } from '../admin/print.ts'
import { sentenceOf } from '../admin/sentence.ts'
import { aliasName, completedBackups, lambdaNames } from '../wiring.ts'
import { findStack, undefinedIfMissing } from './aws.ts'
import { attempt, errorsIn, type Finding, show } from './checks/finding.ts'
import { byLevel, checkKeys, preflight } from './checks/preflight.ts'
import { askerOf, checkProxy } from './checks/proxy.ts'
import type { Context } from './context.ts'

/** Shows whether the stage is well. Fails where a check does or an alarm is raised. */
export async function status(context: Context): Promise<void> {
  const { aws, stack, program, asJson } = context
  const ready = await preflight(context)
  const credentials = ready.some(({ subject }) => subject === 'credentials')
  const values = credentials ? [] : await Promise.all([attempt('proxy', () => proxyOf(context)), checkKeys(context)])
  const findings = byLevel([...ready, ...values.flat()])
  const found = credentials ? undefined : await findStack(aws, stack)
  const state = found ? await stateOf(context) : undefined
  const system = { stack: found?.StackStatus ?? 'not deployed', updated: found?.LastUpdatedTime ?? found?.CreationTime }
  const isWell = errorsIn(findings) === 0 && !state?.alarms.length
  if (!isWell) program.exitCode = 1
  if (asJson)
    return void print(program, { stage: context.stage, is_well: isWell, ...system, ...state, findings }, { asJson })
  show(program, findings)
  const { versions, ...rest } = state ?? {}
  print(program, { ...system, ...rest }, { asJson })
  if (versions) print(program, { data: versions }, { asJson })
}

/** Without an owner's URL there is nobody to ask, and the preflight says so. */
async function proxyOf({ secrets, terminal }: Context): Promise<Finding[]> {
  const { value } = await secrets.read('database-owner')
  return value ? await checkProxy(askerOf(value, terminal.env.DATABASE_ENDPOINT || undefined)) : []
}

async function stateOf(context: Context) {
  const [alarms, canary, backup, versions, documents] = await Promise.all([
    alarmsOf(context),
    lastOf(context, 'CanarySuccess', `${context.stack}-canary`, 1),
    lastOf(context, completedBackups.metric, completedBackups.reporterOf(context.stack), 8 * 24),
    Promise.all(lambdaNames.map((name) => versionOf(context, name))),
    healthOf(context),
  ])
  return { alarms, canary_succeeded: canary, last_backup: backup, ...documents, versions }
}

async function alarmsOf({ aws, stack }: Context): Promise<string[]> {
  const raised = new DescribeAlarmsCommand({ AlarmNamePrefix: `${stack}-`, StateValue: 'ALARM', MaxRecords: 100 })
  const { MetricAlarms = [], CompositeAlarms = [] } = await aws.metrics.send(raised)
  return [...MetricAlarms, ...CompositeAlarms].map(({ AlarmName = '' }) => AlarmName.slice(stack.length + 1))
}

/** When the metric was last above zero, within so many hours. */
async function lastOf({ aws }: Context, metric: string, reporter: string, hours: number): Promise<Date | null> {
  const now = Date.now()
  const { Datapoints = [] } = await aws.metrics.send(
    new GetMetricStatisticsCommand({
      ...{ Namespace: namespace, MetricName: metric, Dimensions: [{ Name: dimension, Value: reporter }] },
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

async function healthOf({ secrets, database }: Context) {
  try {
    const { value } = await secrets.read('database-owner')
    return value ? await checkDocuments(database(value)) : { documents: 'unknown: no owner’s URL' }
  } catch (error) {
    return { documents: `unknown: ${sentenceOf(error)}` }
  }
}

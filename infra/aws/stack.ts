import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { migrationNames as ownMigrations } from '../migrations/migrate.ts'
import {
  type Lambda,
  type LambdaName,
  lambdaNames,
  lambdas,
  ofQueues,
  queueNames,
  reporterOf,
  serving,
  wholeCpuMb,
} from '../wiring.ts'
import { accessOf, type Resources } from './access.ts'
import type { Bundle, BundleName } from './bundles/bundle.ts'
import { allowPagesFrom, createFilesBucket, restrictReading } from './files.ts'
import { createFunction } from './functions.ts'
import { createHttpApi } from './http-api.ts'
import { Migrations } from './migrations.ts'
import { createAlarms } from './monitoring/alarms.ts'
import { createBudget } from './monitoring/budget.ts'
import { createDashboard } from './monitoring/dashboard.ts'
import { addEventSource, WorkQueue } from './queue.ts'
import { createAliases } from './release/aliases.ts'
import { createHook } from './release/hook.ts'
import { shiftTraffic } from './release/shift.ts'
import { addSchedule } from './schedule.ts'
import type { Secrets } from './secrets.ts'
import { embedsItself, type StageSettings } from './stages.ts'

type CuecardProps = StackProps & {
  readonly settings: StageSettings
  readonly secrets: Secrets
  readonly bundles: Record<BundleName, Bundle>
  readonly migrationNames?: readonly string[]
}

export class CuecardStack extends Stack {
  constructor(
    scope: Construct,
    name: string,
    { settings, secrets, bundles, migrationNames = ownMigrations, ...props }: CuecardProps,
  ) {
    super(scope, name, props)
    const work = ofQueues((queue) => new WorkQueue(this, queue, name))
    const files = createFilesBucket(this, name, settings)
    const resources: Resources = { secrets, queues: ofQueues((name) => work[name].queue), files, settings }

    const all = new Construct(this, 'functions')
    const functions = createFunctions(all, name, bundles, resources)
    const aliases = createAliases(all, functions)
    const { migrate: bundle } = bundles
    const migrations = new Migrations(this, 'migrations', { name, bundle, resources, serving: all, migrationNames })

    const http = createHttpApi(this, name, aliases, settings)
    allowPagesFrom(files, http.origin)
    const readers = lambdaNames.filter((name) => (accessOf(name).files ?? []).includes('s3:GetObject'))
    restrictReading(
      files,
      readers.map((name) => functions[name].role!),
      settings,
    )
    for (const queue of queueNames)
      addEventSource(this, queue, work[queue].queue, aliases[queue], settings.workers[queue])
    functions.canary.addEnvironment('BASE_URL', http.origin)
    for (const lambda of ['dashboard', 'connect', 'mcp'] as const)
      functions[lambda].addEnvironment('ORIGIN', http.origin)
    for (const lambda of serving) functions[lambda].addEnvironment('METRICS_OF', `${name}-${reporterOf(lambda)}`)
    for (const name of ['sweeper', 'delivery', 'canary'] as const) addSchedule(this, name, aliases[name])

    const watched = { http, functions, aliases, migrate: migrations.handler, work }
    const alarms = createAlarms(this, name, watched, settings)
    if (settings.shiftsTraffic) {
      const hook = createHook(this, aliases, bundles.canary, http.origin, resources)
      shiftTraffic(this, aliases, alarms, hook, settings, this.node.tryGetContext('shift') === 'at-once')
    }
    createBudget(this, name, settings)
    createDashboard(this, name, { ...watched, alarms }, settings)
    for (const [queueName, { queue, deadLetters }] of Object.entries(work)) {
      const prefix = queueName === 'embedding' ? '' : `${queueName}-`
      new CfnOutput(this, `${prefix}queue-url`, { value: queue.queueUrl })
      new CfnOutput(this, `${prefix}dead-letters-url`, { value: deadLetters.queueUrl })
    }
    new CfnOutput(this, 'files-bucket', { value: files.bucketName })
  }
}

function createFunctions(
  scope: Construct,
  stack: string,
  bundles: Record<BundleName, Bundle>,
  resources: Resources,
): Record<LambdaName, LambdaFunction> {
  const created = lambdaNames.map((name): [LambdaName, LambdaFunction] => {
    const { timeoutSeconds, heap, ...lambda }: Lambda = lambdas[name]
    const access = accessOf(name)
    const hasEncoder = embedsItself(resources.settings) && access.embeds
    const memoryMb = hasEncoder ? wholeCpuMb : lambda.memoryMb
    const reservedConcurrency = resources.settings.reservedConcurrency?.[name]
    const own = { functionName: `${stack}-${name}`, bundle: bundles[name], access }
    return [
      name,
      createFunction(scope, name, { ...own, memoryMb, timeoutSeconds, reservedConcurrency, heap }, resources),
    ]
  })
  return Object.fromEntries(created) as Record<LambdaName, LambdaFunction>
}

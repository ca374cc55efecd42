import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { CfnFunction, IFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { migrationNames as ownMigrations } from '../migrations/migrate.ts'
import { answering, type Lambda, type LambdaName, lambdas } from '../wiring.ts'
import { access, type Resources } from './access.ts'
import type { Bundle, BundleName } from './bundles/bundle.ts'
import { addEventSource } from './event-source.ts'
import { allowUploadsFrom, createFilesBucket } from './files.ts'
import { createFunction } from './functions.ts'
import { createHttpApi } from './http-api.ts'
import { Migrations } from './migrations.ts'
import { createAlarms } from './monitoring/alarms.ts'
import { createDashboard } from './monitoring/dashboard.ts'
import { WorkQueue } from './queue.ts'
import { addSchedule } from './schedule.ts'
import type { Secrets } from './secrets.ts'
import type { StageSettings } from './stages.ts'

export type CuecardProps = StackProps & {
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
    const work = {
      embedding: new WorkQueue(this, 'embedding', name),
      extraction: new WorkQueue(this, 'extraction', name),
    }
    const files = createFilesBucket(this, name, work.extraction.queue, settings)
    const queues = { embedding: work.embedding.queue, extraction: work.extraction.queue }
    const resources: Resources = { secrets, queues, files, settings }

    const serving = new Construct(this, 'functions')
    const functions = createFunctions(serving, name, bundles, resources)
    new Migrations(this, 'migrations', { name, bundle: bundles.migrate, resources, serving, migrationNames })

    const http = createHttpApi(this, name, functions, settings)
    allowUploadsFrom(files, http.origin)
    addEventSource(this, 'embedding', queues.embedding, functions.embedding, settings.embeddingConcurrency)
    addEventSource(this, 'extraction', queues.extraction, functions.extraction, settings.extractionConcurrency)
    addSchedule(this, functions.sweeper, lambdas.sweeper.everySeconds)

    const alarms = createAlarms(this, name, { http, functions, work }, settings)
    createDashboard(this, name, { http, functions, work, alarms }, settings)
    new CfnOutput(this, 'queue-url', { value: queues.embedding.queueUrl })
    new CfnOutput(this, 'dead-letters-url', { value: work.embedding.deadLetters.queueUrl })
    new CfnOutput(this, 'extraction-queue-url', { value: queues.extraction.queueUrl })
    new CfnOutput(this, 'extraction-dead-letters-url', { value: work.extraction.deadLetters.queueUrl })
    new CfnOutput(this, 'files-bucket', { value: files.bucketName })
  }
}

function createFunctions(
  scope: Construct,
  stack: string,
  bundles: Record<BundleName, Bundle>,
  resources: Resources,
): Record<LambdaName, IFunction> {
  const names = Object.keys(lambdas) as LambdaName[]
  const created = names.map((name): [LambdaName, IFunction] => {
    const { memoryMb, timeoutSeconds, everySeconds }: Lambda = lambdas[name]
    const settings = {
      functionName: `${stack}-${name}`,
      bundle: bundles[name],
      memoryMb,
      timeoutSeconds,
      access: access[name],
      isAsync: everySeconds !== undefined,
      reservedConcurrency: resources.settings.reservedConcurrency?.[name],
    }
    return [name, createFunction(scope, name, settings, resources)]
  })
  const functions = Object.fromEntries(created) as Record<LambdaName, IFunction>
  updateReadersFirst(functions)
  return functions
}

/** A search of the new release understands what the previous one has written, but not the other way round. */
function updateReadersFirst(functions: Record<LambdaName, IFunction>): void {
  const { documents, chunks, dashboard, embedding, extraction, sweeper } = functions
  for (const writer of [documents, chunks, dashboard, embedding, extraction, sweeper])
    for (const reader of answering) resourceOf(writer).addResourceDependency(resourceOf(functions[reader]))
}

/** Without its permissions, which depend on the routes. */
function resourceOf(lambda: IFunction): CfnFunction {
  return lambda.node.defaultChild as CfnFunction
}

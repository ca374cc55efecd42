import { createHash } from 'node:crypto'
import { type CfnResource, Duration, Stack } from 'aws-cdk-lib'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction, IVersion } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler'
import { Trigger } from 'aws-cdk-lib/triggers'
import { Construct } from 'constructs'
import type { Resources } from './access.ts'
import type { Bundle } from './bundles/bundle.ts'
import { createFunction } from './functions.ts'

export type MigrationsProps = {
  readonly name: string
  readonly bundle: Bundle
  readonly resources: Resources
  readonly serving: Construct
  /** Of the migrations that the bundle applies. */
  readonly migrationNames: readonly string[]
}

/**
 * Migrates in every deploy that adds a migration, before `serving` is updated: a failure leaves the old code serving.
 * Once it is updated, a schedule runs the backfills, which need its readers.
 */
export class Migrations extends Construct {
  readonly handler: IFunction

  constructor(scope: Construct, id: string, { name, bundle, resources, serving, migrationNames }: MigrationsProps) {
    super(scope, id)
    const timeoutSeconds = 840
    const handler = createFunction(
      this,
      'migrate',
      {
        functionName: `${name}-migrate`,
        bundle,
        memoryMb: 512,
        timeoutSeconds,
        access: { database: 'database-owner' },
      },
      resources,
    )
    this.handler = handler
    const triggers = new Construct(this, 'trigger')
    // A resource for each set of migrations, which runs them when it is created and never again: a rollback deletes it, or updates the one
    // before, and needs no database for either. One that runs on an update would run on the rollback's too, and fail it while the database
    // is away.
    new Trigger(triggers, digestOf(migrationNames), {
      handler,
      timeout: Duration.seconds(timeoutSeconds + 30),
      executeBefore: [serving],
      executeOnHandlerChange: false,
    })
    setTriggerLogRetention(triggers, name, resources)
    addBackfillSchedule(this, handler.currentVersion, timeoutSeconds, serving)
  }
}

/**
 * Of the version that belongs to the code that serves: in a deploy the previous one stays scheduled until the new code serves.
 * A run that finds nothing left ends at once.
 */
function addBackfillSchedule(scope: Construct, version: IVersion, timeoutSeconds: number, serving: Construct): void {
  const minutes = Math.ceil((timeoutSeconds + 60) / 60)
  const role = new Role(scope, 'backfill-schedule-role', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
    inlinePolicies: {
      invoke: new PolicyDocument({
        statements: [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [version.functionArn] })],
      }),
    },
  })
  const schedule = new CfnSchedule(scope, 'backfill-schedule', {
    description: 'Converts rows of older releases, until none is left.',
    scheduleExpression: `rate(${minutes} minutes)`,
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: version.functionArn,
      roleArn: role.roleArn,
      input: JSON.stringify({ backfill: true }),
      retryPolicy: { maximumRetryAttempts: 0 },
    },
  })
  schedule.node.addDependency(serving)
}

function digestOf(names: readonly string[]): string {
  return createHash('sha256').update(names.join(' ')).digest('hex').slice(0, 12)
}

/** Without it the logs of the Lambda with which CDK invokes ours would never expire. */
function setTriggerLogRetention(triggers: Construct, name: string, { settings }: Resources): void {
  const logGroup = new LogGroup(triggers, 'logs', {
    logGroupName: `/aws/lambda/${name}-migrate-trigger`,
    retention: settings.logRetention,
    removalPolicy: settings.removal,
  })
  const provider = Stack.of(triggers).node.findChild('AWSCDK.TriggerCustomResourceProviderCustomResourceProvider')
  const handler = provider.node.findChild('Handler') as CfnResource
  handler.addPropertyOverride('LoggingConfig', { LogGroup: logGroup.logGroupName })
}

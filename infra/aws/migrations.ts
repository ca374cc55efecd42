import { createHash } from 'node:crypto'
import { CfnOutput, type CfnResource, Duration, Stack } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Trigger } from 'aws-cdk-lib/triggers'
import { Construct } from 'constructs'
import { databaseUsers } from '../wiring.ts'
import type { Resources } from './access.ts'
import type { Bundle } from './bundles/bundle.ts'
import { createFunction } from './functions.ts'

type MigrationsProps = {
  readonly name: string
  readonly bundle: Bundle
  readonly resources: Resources
  readonly serving: Construct
  readonly migrationNames: readonly string[]
}

/** Migrates and makes logins in each deploy that adds some, before `serving` is updated. After a failure, the old code still serves. */
export class Migrations extends Construct {
  readonly handler: IFunction

  constructor(scope: Construct, id: string, { name, bundle, resources, serving, migrationNames }: MigrationsProps) {
    super(scope, id)
    const timeoutSeconds = 840
    const access = { database: 'database-owner', makesLogins: true } as const
    const settings = { functionName: `${name}-migrate`, bundle, memoryMb: 512, timeoutSeconds, access }
    const handler = createFunction(this, 'migrate', settings, resources)
    this.handler = handler
    const triggers = new Construct(this, 'trigger')
    // Each set of migrations and logins is a resource, which runs only on its creation. A release that adds none keeps the set of the
    // deployed one, so that a rollback needs no database.
    const migrated: string = this.node.tryGetContext('migrated') ?? [...migrationNames, ...databaseUsers].join(' ')
    new CfnOutput(Stack.of(this), 'migrated', { value: migrated })
    new Trigger(triggers, digestOf(migrated), {
      handler,
      timeout: Duration.seconds(timeoutSeconds + 30),
      executeBefore: [serving],
      executeOnHandlerChange: false,
    })
    setTriggerLogRetention(triggers, name, resources)
  }
}

function digestOf(names: string): string {
  return createHash('sha256').update(names).digest('hex').slice(0, 12)
}

/** Otherwise, the logs of CDK's Lambda that invokes ours would never expire. */
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

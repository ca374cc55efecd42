import { type CfnResource, Duration, Stack } from 'aws-cdk-lib'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Trigger } from 'aws-cdk-lib/triggers'
import { Construct } from 'constructs'
import type { Resources } from './access.ts'
import type { Bundle } from './bundles/bundle.ts'
import { createFunction } from './functions.ts'

/** Migrates in every deploy that changes the migrations, before `before` is updated: a failure leaves the old code serving. */
export class Migrations extends Construct {
  constructor(scope: Construct, id: string, name: string, bundle: Bundle, resources: Resources, before: Construct[]) {
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
    const trigger = new Trigger(this, 'trigger', {
      handler,
      timeout: Duration.seconds(timeoutSeconds + 30),
      executeBefore: before,
    })
    setTriggerLogRetention(trigger, name, resources)
  }
}

/** Without it the logs of the Lambda with which CDK invokes ours would never expire. */
function setTriggerLogRetention(trigger: Trigger, name: string, { settings }: Resources): void {
  const logGroup = new LogGroup(trigger, 'logs', {
    logGroupName: `/aws/lambda/${name}-migrate-trigger`,
    retention: settings.logRetention,
    removalPolicy: settings.removal,
  })
  const provider = Stack.of(trigger).node.findChild('AWSCDK.TriggerCustomResourceProviderCustomResourceProvider')
  const handler = provider.node.findChild('Handler') as CfnResource
  handler.addPropertyOverride('LoggingConfig', { LogGroup: logGroup.logGroupName })
}

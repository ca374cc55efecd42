import { Stack } from 'aws-cdk-lib'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler'
import type { Construct } from 'constructs'

/** A missed run is not retried: the next one does all of its work. */
export function addSchedule(scope: Construct, sweeper: IFunction, everySeconds: number): void {
  const minutes = everySeconds / 60
  const role = new Role(scope, 'sweeper-schedule-role', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
    inlinePolicies: {
      invoke: new PolicyDocument({
        statements: [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [sweeper.functionArn] })],
      }),
    },
  })
  new CfnSchedule(scope, 'sweeper-schedule', {
    description: 'Resends lost messages, recovers expired leases, fails documents that are too old.',
    scheduleExpression: `rate(${minutes} ${minutes === 1 ? 'minute' : 'minutes'})`,
    flexibleTimeWindow: { mode: 'OFF' },
    target: { arn: sweeper.functionArn, roleArn: role.roleArn, retryPolicy: { maximumRetryAttempts: 0 } },
  })
}

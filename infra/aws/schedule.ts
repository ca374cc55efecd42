import { Stack } from 'aws-cdk-lib'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler'
import type { Construct } from 'constructs'
import { lambdas } from '../wiring.ts'

const descriptions = {
  sweeper: 'Resends lost messages, recovers expired leases, fails documents that are too old.',
  delivery: 'Sends events to webhooks.',
  canary: 'Creates, finds and deletes a document through the public API.',
}

export function addSchedule(scope: Construct, name: keyof typeof descriptions, target: IFunction): void {
  const minutes = lambdas[name].everySeconds / 60
  const role = new Role(scope, `${name}-schedule-role`, {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
    inlinePolicies: {
      invoke: new PolicyDocument({
        statements: [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.functionArn] })],
      }),
    },
  })
  new CfnSchedule(scope, `${name}-schedule`, {
    description: descriptions[name],
    scheduleExpression: `rate(${minutes} ${minutes === 1 ? 'minute' : 'minutes'})`,
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: target.functionArn,
      roleArn: role.roleArn,
      retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
    },
  })
}

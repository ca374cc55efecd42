import { Stack } from 'aws-cdk-lib'
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Alias, CfnAlias, IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { aliasName, type LambdaName, serving } from '../../wiring.ts'
import { releaseAlarmsOf } from '../monitoring/release-alarms.ts'
import { acknowledge } from '../rule-checks.ts'
import type { StageSettings } from '../stages.ts'
import { arnOf, tried } from './hook.ts'

/**
 * Makes a deploy try a new version, then send a tenth of the requests to it for five minutes, then all of them, unless an alarm reverts it.
 * Workers switch at once, because a failed message is delivered again.
 */
export function shiftTraffic(
  scope: Construct,
  aliases: Record<LambdaName, Alias>,
  alarms: readonly Alarm[],
  hook: IFunction,
  settings: StageSettings,
  atOnce: boolean,
): void {
  const application = new LambdaApplication(scope, 'releases', { applicationName: Stack.of(scope).stackName })
  const role = createRole(scope, hook, settings)
  for (const name of serving) {
    const ids = releaseAlarmsOf(name)
    new LambdaDeploymentGroup(scope, `${name}-shift`, {
      application,
      role: role.withoutPolicyUpdates(),
      alias: aliases[name],
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: alarms.filter(({ node }) => ids.includes(node.id)),
      ...(tried.includes(name) && { preHook: hook }),
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    })
    // CodeDeploy would not begin while an alarm is raised, or after somebody has moved an alias by hand.
    if (atOnce) delete (aliases[name].node.defaultChild as CfnAlias).cfnOptions.updatePolicy
  }
}

/**
 * Replaces AWS's managed policy, which covers every Lambda of the account. Its ARNs have names instead of references: an alias waits for
 * its deployment group and this role, so they can't wait for the alias.
 */
function createRole(scope: Construct, hook: IFunction, settings: StageSettings): Role {
  const functions = serving.map((name) => arnOf(settings, 'lambda', `function:${Stack.of(scope).stackName}-${name}`))
  const role = new Role(scope, 'releases-role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    inlinePolicies: {
      access: new PolicyDocument({
        statements: [
          new PolicyStatement({
            actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
            resources: [...functions, ...functions.map((arn) => `${arn}:${aliasName}`)],
          }),
          new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [hook.functionArn] }),
          new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }),
        ],
      }),
    },
  })
  acknowledge(role, {
    'AwsSolutions-IAM5[Resource::*]': 'CodeDeploy reads the state of alarms, which changes nothing.',
  })
  return role
}

import { ArnFormat, Stack } from 'aws-cdk-lib'
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Alias, CfnAlias } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { aliasName, type LambdaName, serving } from '../../wiring.ts'
import { releaseAlarmsOf } from '../monitoring/release-alarms.ts'
import { acknowledge } from '../rule-checks.ts'

/**
 * Makes a deploy send a tenth of the requests to a new version for five minutes, then all of them, unless an alarm reverts it.
 * Workers switch at once, because a failed message is delivered again.
 */
export function shiftTraffic(
  scope: Construct,
  aliases: Record<LambdaName, Alias>,
  alarms: readonly Alarm[],
  atOnce: boolean,
): void {
  const application = new LambdaApplication(scope, 'releases')
  const role = createRole(scope)
  for (const name of serving) {
    const ids = releaseAlarmsOf(name)
    new LambdaDeploymentGroup(scope, `${name}-shift`, {
      application,
      role: role.withoutPolicyUpdates(),
      alias: aliases[name],
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: alarms.filter(({ node }) => ids.includes(node.id)),
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
function createRole(scope: Construct): Role {
  const functions = serving.map((name) => lambdaArn(scope, name))
  const role = new Role(scope, 'releases-role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    inlinePolicies: {
      access: new PolicyDocument({
        statements: [
          new PolicyStatement({
            actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
            resources: [...functions, ...functions.map((arn) => `${arn}:${aliasName}`)],
          }),
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

function lambdaArn(scope: Construct, name: LambdaName): string {
  const stack = Stack.of(scope)
  const resourceName = `${stack.stackName}-${name}`
  return stack.formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
}

import { Aws, Stack } from 'aws-cdk-lib'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { type LambdaName, lambdas } from '../../wiring.ts'
import { allow, type Resources } from '../access.ts'
import type { Bundle } from '../bundles/bundle.ts'
import { createFunction } from '../functions.ts'
import { acknowledge } from '../rule-checks.ts'
import type { StageSettings } from '../stages.ts'

/** The Lambdas that the canary's journey calls. */
export const tried: readonly LambdaName[] = ['agents', 'documents', 'search']

/**
 * The canary's code as a hook of deployments: it makes its journey through a version that no request has reached yet. Its rights have
 * names instead of references, because the alias of a Lambda waits for it.
 */
export function createHook(scope: Construct, bundle: Bundle, baseUrl: string, resources: Resources): LambdaFunction {
  const stack = Stack.of(scope).stackName
  const { memoryMb, timeoutSeconds, heap } = lambdas.canary
  const { settings } = resources
  const groups = arnOf(settings, 'codedeploy', `deploymentgroup:${stack}/*`)
  const versions = tried.map((name) => arnOf(settings, 'lambda', `function:${stack}-${name}:*`))
  const ownStatements = [
    allow(['codedeploy:GetDeployment', 'codedeploy:PutLifecycleEventHookExecutionStatus'], [groups]),
    allow(['codedeploy:GetApplicationRevision'], [arnOf(settings, 'codedeploy', `application:${stack}`)]),
    allow(['lambda:InvokeFunction'], versions),
  ].flat()
  const own = { functionName: `${stack}-release-canary`, bundle, access: { calls: true } as const, ownStatements }
  const hook = createFunction(scope, 'release-canary', { ...own, memoryMb, timeoutSeconds, heap }, resources)
  hook.addEnvironment('BASE_URL', baseUrl)
  const why = 'A version has its number, and a deployment group its name, only after they are made.'
  const nameOf = (arn: string) => `AwsSolutions-IAM5[Resource::${arn.replace(Aws.PARTITION, '<AWS::Partition>')}]`
  const reasons = Object.fromEntries([groups, ...versions].map((arn) => [nameOf(arn), why]))
  acknowledge(scope.node.findChild('release-canary-role'), reasons)
  return hook
}

/** @param resource such as `function:NAME` */
export function arnOf({ region, account }: StageSettings, service: string, resource: string): string {
  return `arn:${Aws.PARTITION}:${service}:${region}:${account}:${resource}`
}

import { Aws, Stack } from 'aws-cdk-lib'
import type { Alias, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { type LambdaName, lambdas } from '../../wiring.ts'
import { allow, type Resources } from '../access.ts'
import type { Bundle } from '../bundles/bundle.ts'
import { createFunction } from '../functions.ts'
import { acknowledge } from '../rule-checks.ts'
import type { StageSettings } from '../stages.ts'

/** The Lambdas that the canary's journey calls, without `documents`: its new version waits for the alias of `search`, which waits for the hook. */
export const tried: readonly LambdaName[] = ['agents', 'search']

/** The canary's code as a hook of deployments: it makes its journey through new versions that no request has reached yet. */
export function createHook(
  scope: Construct,
  aliases: Record<LambdaName, Alias>,
  bundle: Bundle,
  baseUrl: string,
  resources: Resources,
): LambdaFunction {
  const { stackName } = Stack.of(scope)
  const { memoryMb, timeoutSeconds, heap } = lambdas.canary
  // A right for one version would be too new for its first use: IAM takes seconds to spread a change.
  const versions = tried.map((name) => arnOf(resources.settings, 'lambda', `function:${stackName}-${name}:*`))
  const groups = arnOf(resources.settings, 'codedeploy', `deploymentgroup:${stackName}/*`)
  const report = allow(['codedeploy:PutLifecycleEventHookExecutionStatus'], [groups])
  const access = { calls: true, more: [...report, ...allow(['lambda:InvokeFunction'], versions)] } as const
  const own = { functionName: `${stackName}-release-canary`, bundle, access, memoryMb, timeoutSeconds, heap }
  const hook = createFunction(scope, 'release-canary', own, resources)
  const paths = tried.map((name) => [
    name,
    `${stackName}-${name}/invocations?Qualifier=${aliases[name].version.version}`,
  ])
  hook.addEnvironment('NEW_VERSIONS', Stack.of(scope).toJsonString(Object.fromEntries(paths)))
  hook.addEnvironment('BASE_URL', baseUrl)
  const why = 'The hook exists before the deployment groups, and its rights before the versions.'
  const findingOf = (arn: string) => `AwsSolutions-IAM5[Resource::${arn.replace(Aws.PARTITION, '<AWS::Partition>')}]`
  const reasons = Object.fromEntries([groups, ...versions].map((arn) => [findingOf(arn), why]))
  acknowledge(scope.node.findChild('release-canary-role'), reasons)
  return hook
}

/** @param resource such as `function:NAME` */
export function arnOf({ region, account }: StageSettings, service: string, resource: string): string {
  return `arn:${Aws.PARTITION}:${service}:${region}:${account}:${resource}`
}

import { type CfnElement, Duration, Stack } from 'aws-cdk-lib'
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, Code, Function as LambdaFunction, RecursiveLoop, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct, IConstruct } from 'constructs'
import type { Lambda } from '../wiring.ts'
import { type Access, environmentFor, type Resources, statementsFor } from './access.ts'
import { type Bundle, heapScript } from './bundles/bundle.ts'
import { acknowledge } from './rule-checks.ts'

export type FunctionSettings = {
  readonly functionName: string
  readonly bundle: Bundle
  readonly memoryMb: number
  readonly timeoutSeconds: number
  readonly access: Access
  readonly reservedConcurrency?: number | undefined
  readonly heap?: Lambda['heap'] | undefined
}

export const nodeOptions = '--enable-source-maps'

/** The environment for the bundle's `limit-heap.sh`, which limits V8's heap to old space and three semi-spaces. */
export function heapLimits({ semiSpaceMb, oldSpaceMb }: NonNullable<Lambda['heap']>) {
  return {
    AWS_LAMBDA_EXEC_WRAPPER: `/var/task/${heapScript}`,
    HEAP_OPTIONS: `--max-semi-space-size=${semiSpaceMb} --max-old-space-size=${oldSpaceMb}`,
    MAX_HEAP_MB: `${oldSpaceMb + 3 * semiSpaceMb}`,
  }
}

export function createFunction(
  scope: Construct,
  id: string,
  { functionName, bundle, memoryMb, timeoutSeconds, access, reservedConcurrency, heap }: FunctionSettings,
  resources: Resources,
): LambdaFunction {
  const logGroup = new LogGroup(scope, `${id}-logs`, {
    logGroupName: `/aws/lambda/${functionName}`,
    retention: resources.settings.logRetention,
    removalPolicy: resources.settings.removal,
  })
  const role = new Role(scope, `${id}-role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { access: new PolicyDocument({ statements: statementsFor(access, logGroup, resources) }) },
  })
  const created = new LambdaFunction(scope, id, {
    functionName,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'handler.handler',
    code: Code.fromAsset(bundle.directory),
    memorySize: memoryMb,
    timeout: Duration.seconds(timeoutSeconds),
    ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
    environment: {
      NODE_OPTIONS: nodeOptions,
      ...(heap && heapLimits(heap)),
      ...environmentFor(access, resources),
      ...(reservedConcurrency !== undefined && { RESERVED_CONCURRENCY: `${reservedConcurrency}` }),
    },
    logGroup,
    // Moving an alias back by hand needs the earlier versions.
    currentVersionOptions: { removalPolicy: resources.settings.removal },
    // CDK adds no policies of its own, so the statements above are the only ones.
    role: role.withoutPolicyUpdates(),
    // The Lambda that receives a document also requeues it. After 16 times, Lambda would treat that as a runaway loop and drop the
    // message. Here, the document's row limits it to 5 attempts and 24 hours.
    ...(access.receives && access.sends?.includes(access.receives) && { recursiveLoop: RecursiveLoop.ALLOW }),
  })
  if (access.files)
    acknowledge(role, {
      [`AwsSolutions-IAM5[Resource::<${logicalIdOf(resources.files)}.Arn>/*]`]:
        'A file’s key begins with its organization’s id, so no prefix could limit a Lambda that works for all organizations.',
    })
  acknowledge(created, {
    'Serverless-LambdaTracing': 'Logs have the milliseconds of each part, under the id of the request.',
    'Serverless-LambdaDLQ':
      'Calls are synchronous, or the queue or schedule repeats them, so there is no event to keep.',
  })
  return created
}

function logicalIdOf(resource: IConstruct): string {
  return Stack.of(resource).getLogicalId(resource.node.defaultChild as CfnElement)
}

import { Duration } from 'aws-cdk-lib'
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, Code, Function as LambdaFunction, RecursiveLoop, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { type Access, environmentFor, type Resources, statementsFor } from './access.ts'
import type { Bundle } from './bundles/bundle.ts'
import { acknowledge } from './nag.ts'

export type FunctionSettings = {
  readonly functionName: string
  readonly bundle: Bundle
  readonly memoryMb: number
  readonly timeoutSeconds: number
  readonly access: Access
  /** Its caller hands over an event and does not wait. */
  readonly invokedByEvent?: boolean
}

/** A Lambda with its own log group and its own role, which holds exactly what `access` says. */
export function createFunction(
  scope: Construct,
  id: string,
  { functionName, bundle, memoryMb, timeoutSeconds, access, invokedByEvent }: FunctionSettings,
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
    environment: environmentFor(access, resources),
    logGroup,
    tracing: Tracing.ACTIVE,
    // What the role may do is all written above; nothing that CDK would add by itself gets in.
    role: role.withoutPolicyUpdates(),
    // Of an event that nobody waits for. The next one comes by the clock and does the same work.
    ...(invokedByEvent && { retryAttempts: 0 }),
    // A document that is handed over or put off is sent again by the Lambda that received it, and after 16 rounds Lambda
    // would take that for a runaway loop and drop the message. The document's row bounds it: 5 attempts, 24 hours.
    ...(access.sends && access.receives && { recursiveLoop: RecursiveLoop.ALLOW }),
  })
  acknowledge(role, {
    'AwsSolutions-IAM5[Resource::*]':
      'X-Ray has no resources to name: PutTraceSegments and PutTelemetryRecords take *.',
    'Serverless-LambdaStarPermissions': 'As above: the star belongs to X-Ray alone.',
  })
  acknowledge(created, {
    'Serverless-LambdaDLQ':
      'Its callers wait for its answer, or run it again (queue, schedule): there is no event to keep.',
    'Serverless-LambdaAsyncFailureDestination':
      'As above; a schedule that fails is made good by its next run and seen by the alarm on it.',
  })
  return created
}

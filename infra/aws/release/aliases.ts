import { type CfnResource, Duration } from 'aws-cdk-lib'
import { Alias, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { aliasName, answering, type Lambda, type LambdaName, lambdaNames, lambdas, serving } from '../../wiring.ts'
import { acknowledge } from '../rule-checks.ts'

const workers = lambdaNames.filter((name) => !serving.includes(name))
const writers: readonly LambdaName[] = ['documents', 'chunks', 'dashboard', ...workers]

/** Gives each Lambda an alias of a version, because a deploy replaces the latest code in place. */
export function createAliases(
  scope: Construct,
  functions: Record<LambdaName, LambdaFunction>,
): Record<LambdaName, Alias> {
  const entries = lambdaNames.map((name) => [name, createAlias(scope, name, functions[name])] as const)
  const aliases = Object.fromEntries(entries) as Record<LambdaName, Alias>
  // A new release's search can read what the previous release has written, but not the other way round.
  for (const writer of writers) for (const name of answering) updateAfter(functions[writer], aliases[name])
  // A release that the alarms roll back must not have processed a document.
  for (const worker of workers) for (const name of serving) updateAfter(functions[worker], aliases[name])
  return aliases
}

function createAlias(scope: Construct, name: LambdaName, { currentVersion }: LambdaFunction): Alias {
  const { everySeconds }: Lambda = lambdas[name]
  const alias = new Alias(scope, `${name}-live`, {
    aliasName,
    version: currentVersion,
    // The next scheduled run does the same work, and runs that waited for capacity must not begin all at once.
    ...(everySeconds !== undefined && { retryAttempts: 0, maxEventAge: Duration.seconds(60) }),
  })
  if (everySeconds !== undefined)
    acknowledge(alias, {
      'Serverless-LambdaAsyncFailureDestination':
        'The next scheduled run makes up for a failed one, and an alarm watches for failures.',
    })
  return alias
}

function updateAfter(lambda: LambdaFunction, alias: Alias): void {
  ;(lambda.node.defaultChild as CfnResource).addResourceDependency(alias.node.defaultChild as CfnResource)
}

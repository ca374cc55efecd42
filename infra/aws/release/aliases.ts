import type { CfnResource } from 'aws-cdk-lib'
import { Alias, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { answering, type Lambda, type LambdaName, lambdas } from '../../wiring.ts'
import { acknowledge } from '../rule-checks.ts'

export const aliasName = 'live'

const names = Object.keys(lambdas) as LambdaName[]
export const serving = names.filter((name) => 'routes' in lambdas[name])
const workers = names.filter((name) => !serving.includes(name))
const writers: readonly LambdaName[] = ['documents', 'chunks', 'dashboard', ...workers]

/** What requests, messages and schedules reach: a version of each Lambda, never its latest code, which a deploy replaces in place. */
export function createAliases(
  scope: Construct,
  functions: Record<LambdaName, LambdaFunction>,
): Record<LambdaName, Alias> {
  const entries = names.map((name) => [name, createAlias(scope, name, functions[name])] as const)
  const aliases = Object.fromEntries(entries) as Record<LambdaName, Alias>
  // A search of the new release understands what the previous one has written, but not the other way round.
  for (const writer of writers)
    updateAfter(
      functions[writer],
      answering.map((name) => aliases[name]),
    )
  // A release that the alarms roll back has not processed a document.
  for (const worker of workers)
    updateAfter(
      functions[worker],
      serving.map((name) => aliases[name]),
    )
  return aliases
}

function createAlias(scope: Construct, name: LambdaName, { currentVersion }: LambdaFunction): Alias {
  const { everySeconds }: Lambda = lambdas[name]
  const alias = new Alias(scope, `${name}-live`, {
    aliasName,
    version: currentVersion,
    // The next scheduled run does the same work.
    ...(everySeconds !== undefined && { retryAttempts: 0 }),
  })
  if (everySeconds !== undefined)
    acknowledge(alias, {
      'Serverless-LambdaAsyncFailureDestination':
        'The next scheduled run makes up for a failed one, and an alarm watches for failures.',
    })
  return alias
}

/** The function, and with it its version and its alias. */
function updateAfter(lambda: LambdaFunction, aliases: readonly Alias[]): void {
  for (const alias of aliases) resourceOf(lambda).addResourceDependency(resourceOf(alias))
}

/** Without its permissions, which depend on the routes. */
function resourceOf(construct: LambdaFunction | Alias): CfnResource {
  return construct.node.defaultChild as CfnResource
}

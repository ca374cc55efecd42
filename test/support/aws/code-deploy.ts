import { text } from 'node:stream/consumers'
import type { GatewayRoute } from '../../../infra/local/gateway/gateway.ts'
import { invoke, type LambdaHandler } from '../../../infra/local/lambda.ts'
import { listen } from '../http/loopback.ts'

type Input = Record<string, unknown>
type Handler = LambdaHandler<never, unknown>

class Refused extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/**
 * CodeDeploy and versions of Lambdas on loopback. A deployment's own copy of its revision has no content, as in the answers that the
 * public hook glassechidna/codedeployhook handles; only GetApplicationRevision shows it. An outcome is accepted once.
 */
export async function startCodeDeploy() {
  /** `NAME:VERSION` → the handler. */
  const versions = new Map<string, Handler>()
  const deployments = new Map<string, { content: string; executionId: string; outcome?: unknown }>()
  const invoked: string[] = []

  const operations: Record<string, (input: Input) => object> = {
    GetDeployment({ deploymentId }) {
      deploymentOf(deploymentId)
      const string = { sha256: String(deploymentId) }
      return {
        deploymentInfo: { applicationName: 'cuecard-prod', deploymentId, revision: { revisionType: 'String', string } },
      }
    },
    GetApplicationRevision({ applicationName, revision, ...others }) {
      const { revisionType, string } = Object(revision)
      if (applicationName !== 'cuecard-prod') throw new Refused('ApplicationDoesNotExistException')
      if (revisionType !== 'String' || Object.keys(others).length > 0) throw new Refused('InvalidRevisionException')
      const { content } = deploymentOf(string?.sha256)
      return { applicationName, revision: { revisionType, string: { content, sha256: string.sha256 } } }
    },
    PutLifecycleEventHookExecutionStatus({ deploymentId, lifecycleEventHookExecutionId, status }) {
      const deployment = deploymentOf(deploymentId)
      if (lifecycleEventHookExecutionId !== deployment.executionId)
        throw new Refused('InvalidLifecycleEventHookExecutionIdException')
      if (status !== 'Succeeded' && status !== 'Failed')
        throw new Refused('InvalidLifecycleEventHookExecutionStatusException')
      if (deployment.outcome) throw new Refused('LifecycleEventAlreadyCompletedException')
      deployment.outcome = status
      return { lifecycleEventHookExecutionId }
    },
  }

  function deploymentOf(id: unknown) {
    const found = deployments.get(String(id))
    if (!found) throw new Refused('DeploymentDoesNotExistException')
    return found
  }

  const { origin, close } = await listen(async (request, response) => {
    const input = JSON.parse(await text(request))
    const [service, operation = ''] = String(request.headers['x-amz-target'] ?? '').split('.')
    const { pathname, searchParams } = new URL(request.url!, 'http://aws')
    const [, name] = /^\/2015-03-31\/functions\/([\w-]+)\/invocations$/.exec(pathname) ?? []
    try {
      if (service === 'CodeDeploy_20141006') return response.end(JSON.stringify(operations[operation]!(input)))
      const version = `${name}:${searchParams.get('Qualifier')}`
      const handler = versions.get(version)
      if (!handler) throw new Refused('ResourceNotFoundException')
      invoked.push(version)
      const settings = { functionName: name!, timeoutSeconds: 29 }
      const result = await invoke(handler, input as never, settings).catch((error) => {
        response.setHeader('x-amz-function-error', 'Unhandled')
        return { errorType: error.name, errorMessage: error.message, trace: [] }
      })
      return response.end(JSON.stringify(result))
    } catch (error) {
      return response.writeHead(400).end(JSON.stringify({ __type: (error as Refused).code }))
    }
  })

  return {
    origin,
    close,
    /** The versions that were invoked, in order. */
    invoked,
    /** Begins the deployment of a version, up to its hook. @returns the hook's event, and its outcome afterwards */
    begin(route: GatewayRoute, handler: Handler) {
      const Name = `cuecard-prod-${route.functionName}`
      const Properties = { Name, Alias: 'live', CurrentVersion: '7', TargetVersion: '8' }
      const Resources = [{ [Name]: { Type: 'AWS::Lambda::Function', Properties } }]
      const Hooks = [{ BeforeAllowTraffic: 'cuecard-prod-release-canary' }]
      versions.set(`${Name}:8`, handler)
      const DeploymentId = `d-${crypto.randomUUID()}`
      const LifecycleEventHookExecutionId = crypto.randomUUID()
      const content = JSON.stringify({ version: '0.0', Resources, Hooks })
      deployments.set(DeploymentId, { content, executionId: LifecycleEventHookExecutionId })
      return {
        event: { DeploymentId, LifecycleEventHookExecutionId },
        outcome: () => deployments.get(DeploymentId)!.outcome,
      }
    },
  }
}

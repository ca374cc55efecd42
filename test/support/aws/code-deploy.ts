import { text } from 'node:stream/consumers'
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

/** CodeDeploy, which accepts the outcome of a hook once, and versions of Lambdas on loopback. */
export async function startCodeDeploy() {
  /** `NAME:VERSION` → the handler. */
  const versions = new Map<string, Handler>()
  const deployments = new Map<string, { executionId: string; outcome?: unknown }>()
  const invoked: string[] = []

  const operations: Record<string, (input: Input) => object> = {
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
    /** Publishes a version of a Lambda. @returns its path */
    publish(name: string, handler: Handler): string {
      versions.set(`cuecard-prod-${name}:8`, handler)
      return `cuecard-prod-${name}/invocations?Qualifier=8`
    },
    /** Begins a deployment, up to its hook. @returns the hook's event, and its outcome afterwards */
    begin() {
      const event = { DeploymentId: `d-${crypto.randomUUID()}`, LifecycleEventHookExecutionId: crypto.randomUUID() }
      deployments.set(event.DeploymentId, { executionId: event.LifecycleEventHookExecutionId })
      return { event, outcome: () => deployments.get(event.DeploymentId)!.outcome }
    },
  }
}

import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { callAws } from '../../shared/aws/json-call.ts'
import { type Canary, runCanary } from './canary.ts'

/** The event of CodeDeploy's hook `BeforeAllowTraffic`. */
export interface HookEvent {
  DeploymentId: string
  LifecycleEventHookExecutionId: string
}

export interface Release extends Omit<Canary, 'send'> {
  /** The new versions by their Lambdas' names, as `FUNCTION/invocations?Qualifier=VERSION`. */
  versions: Partial<Record<string, string>>
  /** The address of an AWS service. */
  addressOf(service: 'codedeploy' | 'lambda'): string
}

/**
 * Makes the canary's journey through the new versions, before a caller's request reaches them, and reports the outcome to CodeDeploy,
 * which stops a failed release. Thus it needs no callers to notice.
 */
export async function tryRelease(event: HookEvent, release: Release): Promise<void> {
  const send = (request: Request) => {
    const { pathname } = new URL(request.url)
    const version = release.versions[pathname === '/v1/agents' ? 'agents' : pathname.split('/').at(-1)!]
    return version ? invoke(version, request, release) : fetch(request)
  }
  const { failure } = await runCanary({ ...release, send })
  const input = {
    deploymentId: event.DeploymentId,
    lifecycleEventHookExecutionId: event.LifecycleEventHookExecutionId,
    status: failure === undefined ? 'Succeeded' : 'Failed',
  }
  const target = 'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus'
  const signal = AbortSignal.timeout(10_000)
  const url = release.addressOf('codedeploy')
  await callAws({ service: 'codedeploy', url, target, version: '1.1', input, signal })
}

/** Sends a request to a version as API Gateway does. @throws Error if it crashes or times out */
async function invoke(version: string, request: Request, { addressOf, signal }: Release): Promise<Response> {
  const { pathname: rawPath, search, host: domainName } = new URL(request.url)
  const http = { method: request.method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' }
  const input = {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: search.slice(1),
    headers: Object.fromEntries(request.headers),
    requestContext: { domainName, http, requestId: crypto.randomUUID(), stage: '$default' },
    body: (await request.text()) || undefined,
    isBase64Encoded: false,
  }
  const url = `${addressOf('lambda')}/2015-03-31/functions/${version}`
  const result = (await callAws({ service: 'lambda', url, input, signal })) as APIGatewayProxyStructuredResultV2
  if (!result?.statusCode) throw new Error(`${version} ends with ${JSON.stringify(result)}`)
  const { statusCode: status, headers, body, isBase64Encoded } = result
  const content = body ? Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') : null
  return new Response(content, { status, headers: headers as Record<string, string> })
}

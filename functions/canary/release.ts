import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import * as v from 'valibot'
import { callAws } from '../../shared/aws/json-call.ts'
import { describeError, log } from '../../shared/log.ts'
import { type Canary, runCanary } from './canary.ts'

/** The event of CodeDeploy's hook `BeforeAllowTraffic`. */
export interface HookEvent {
  DeploymentId: string
  LifecycleEventHookExecutionId: string
}

export interface Release extends Omit<Canary, 'send'> {
  /** The address of an AWS service. */
  addressOf(service: 'codedeploy' | 'lambda'): string
}

const deployment = v.object({ deploymentInfo: v.looseObject({ applicationName: v.string(), revision: v.unknown() }) })
const version = v.object({ Name: v.string(), TargetVersion: v.string() })
const appSpec = v.object({ Resources: v.tuple([v.record(v.string(), v.object({ Properties: version }))]) })
const revision = v.object({
  revision: v.object({ string: v.object({ content: v.pipe(v.string(), v.parseJson(), appSpec) }) }),
})

/**
 * Makes the canary's journey through the version that a deployment is about to release, before a caller's request reaches it, and
 * reports the outcome to CodeDeploy, which stops a failed release. Thus it needs no callers to notice.
 */
export async function tryRelease(event: HookEvent, release: Release): Promise<void> {
  const failure = await journeyThroughNew(event.DeploymentId, release).catch((error) => {
    log.error('release_not_tried', { error: describeError(error) })
    return String(error)
  })
  // Without an outcome, CodeDeploy would wait for an hour.
  await callCodeDeploy(release, 'PutLifecycleEventHookExecutionStatus', {
    deploymentId: event.DeploymentId,
    lifecycleEventHookExecutionId: event.LifecycleEventHookExecutionId,
    status: failure === undefined ? 'Succeeded' : 'Failed',
  })
}

/** @returns why the journey failed */
async function journeyThroughNew(deploymentId: string, release: Release): Promise<string | undefined> {
  const found = v.parse(deployment, await callCodeDeploy(release, 'GetDeployment', { deploymentId })).deploymentInfo
  // The deployment's own copy of the revision has no content.
  const asked = { applicationName: found.applicationName, revision: found.revision }
  const { content } = v.parse(revision, await callCodeDeploy(release, 'GetApplicationRevision', asked)).revision.string
  const [{ Properties }] = Object.values(content.Resources[0]) as [{ Properties: v.InferOutput<typeof version> }]
  const lambda = Properties.Name.split('-').at(-1)
  const send = (request: Request) =>
    lambdaFor(new URL(request.url).pathname) === lambda ? invoke(release, Properties, request) : fetch(request)
  return (await runCanary({ ...release, send })).failure
}

/** The Lambda that serves a request of the journey. External ids are sent to the gateway, whose handling of paths they check. */
function lambdaFor(path: string): 'agents' | 'documents' | 'search' | undefined {
  if (path.includes('/by-external-id/')) return undefined
  if (!path.includes('/knowledge-base')) return 'agents'
  return path.endsWith('/search') ? 'search' : 'documents'
}

/** Sends a request to a version as API Gateway does. @throws Error if it crashes or times out */
async function invoke(
  { addressOf, signal }: Release,
  { Name, TargetVersion }: v.InferOutput<typeof version>,
  request: Request,
): Promise<Response> {
  const { pathname: rawPath, search, host: domainName } = new URL(request.url)
  const http = { method: request.method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' }
  const input = {
    ...{ version: '2.0', routeKey: '$default', rawPath, rawQueryString: search.slice(1) },
    headers: Object.fromEntries(request.headers),
    requestContext: { domainName, http, requestId: crypto.randomUUID(), stage: '$default' },
    ...{ body: (await request.text()) || undefined, isBase64Encoded: false },
  }
  const url = `${addressOf('lambda')}/2015-03-31/functions/${Name}/invocations?Qualifier=${TargetVersion}`
  const result = (await callAws({ service: 'lambda', url, input, signal })) as APIGatewayProxyStructuredResultV2
  if (!result?.statusCode) throw new Error(`version ${TargetVersion} of ${Name} ends with ${JSON.stringify(result)}`)
  const { statusCode: status, headers, body, isBase64Encoded } = result
  return new Response(body ? Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') : null, {
    status,
    headers: headers as Record<string, string>,
  })
}

async function callCodeDeploy({ addressOf }: Release, operation: string, input: object): Promise<unknown> {
  const target = `CodeDeploy_20141006.${operation}`
  const signal = AbortSignal.timeout(10_000)
  return await callAws({ service: 'codedeploy', url: addressOf('codedeploy'), target, version: '1.1', input, signal })
}

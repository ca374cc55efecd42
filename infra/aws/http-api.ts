import { CfnOutput, Duration } from 'aws-cdk-lib'
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import * as apigateway from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { cors, requireOrigins } from '../cors.ts'
import { type Lambda, type LambdaName, lambdaNames, lambdas } from '../wiring.ts'
import { createDistribution } from './cloud-front.ts'
import { acknowledge } from './rule-checks.ts'
import type { StageSettings } from './stages.ts'

export type Api = {
  readonly api: apigateway.HttpApi
  readonly stage: apigateway.HttpStage
  readonly accessLogs: LogGroup
  readonly origin: string
}

export function createHttpApi(
  scope: Construct,
  name: string,
  functions: Record<LambdaName, IFunction>,
  settings: StageSettings,
): Api {
  const domain = settings.customDomain
  const api = new apigateway.HttpApi(scope, 'http-api', {
    apiName: name,
    createDefaultStage: false,
    disableExecuteApiEndpoint: domain !== undefined,
    ...(settings.corsOrigins?.length && { corsPreflight: preflightFor(settings.corsOrigins) }),
  })
  const routes = lambdaNames.flatMap((lambda) => addRoutes(scope, api, lambda, functions[lambda]))

  const accessLogs = new LogGroup(scope, 'access-logs', {
    // Log groups under this prefix share one resource policy, whose size CloudWatch limits.
    logGroupName: `/aws/vendedlogs/${name}-http-api`,
    retention: settings.logRetention,
    removalPolicy: settings.removal,
  })
  const stage = new apigateway.HttpStage(scope, 'http-stage', {
    httpApi: api,
    stageName: '$default',
    autoDeploy: true,
    throttle: { rateLimit: settings.throttle.requestsPerSecond, burstLimit: settings.throttle.burst },
    accessLogSettings: {
      destination: new apigateway.LogGroupLogDestination(accessLogs),
      format: AccessLogFormat.custom(JSON.stringify(accessLog)),
    },
  })
  throttleOpenRoutes(stage, routes, settings)
  if (domain) addCustomDomain(scope, api, stage, domain)
  const origin = domain ? `https://${domain.name}` : api.apiEndpoint
  new CfnOutput(scope, 'base-url', { value: origin })
  return { api, stage, accessLogs, origin }
}

/** API Gateway then answers preflight requests itself and adds the headers to all responses. */
function preflightFor(origins: readonly string[]): apigateway.CorsPreflightOptions {
  return {
    allowOrigins: requireOrigins(origins),
    allowMethods: cors.allowMethods.map((method) => apigateway.CorsHttpMethod[method]),
    allowHeaders: [...cors.allowHeaders],
    exposeHeaders: cors.exposeHeaders,
    maxAge: Duration.seconds(cors.maxAgeSeconds),
  }
}

/** Leaves out headers and path, which may have an API key. The function logs the path without keys, under the same request id. */
const accessLog = {
  time: '$context.requestTime',
  request_id: '$context.requestId',
  method: '$context.httpMethod',
  route: '$context.routeKey',
  status: '$context.status',
  bytes: '$context.responseLength',
  latency_ms: '$context.responseLatency',
  lambda_ms: '$context.integrationLatency',
  lambda_error: '$context.integrationErrorMessage',
  source_ip: '$context.identity.sourceIp',
}

function addRoutes(scope: Construct, api: apigateway.HttpApi, lambda: LambdaName, target: IFunction) {
  const { routes = [] }: Lambda = lambdas[lambda]
  if (routes.length === 0) return []
  const id = `${lambda}-integration`
  const integration = new HttpLambdaIntegration(id, target, {
    payloadFormatVersion: apigateway.PayloadFormatVersion.VERSION_2_0,
  })
  const created = routes.map((path) => {
    const route = new apigateway.HttpRoute(scope, `route ${path.replaceAll('/', ' ')}`, {
      httpApi: api,
      routeKey:
        path === '$default'
          ? apigateway.HttpRouteKey.DEFAULT
          : apigateway.HttpRouteKey.with(path, apigateway.HttpMethod.ANY),
      integration,
      authorizer: new apigateway.HttpNoneAuthorizer(),
    })
    acknowledge(route, { 'AwsSolutions-APIG4': whyWithoutAuthorizer(lambda) })
    return route
  })
  // A route switches to another target only after all of the target's permissions exist.
  const permissions = created.map(({ node }) => node.findChild(`${id}-Permission`))
  created[0]!.node.findChild(id).node.addDependency(...permissions)
  return created
}

/** Keeps a flood of requests without a key from using up the throttle of the others. */
function throttleOpenRoutes(stage: apigateway.HttpStage, routes: apigateway.HttpRoute[], { throttle }: StageSettings) {
  const open: string[] = [lambdas.connect, lambdas.dashboard, lambdas.reference].flatMap((lambda) => [...lambda.routes])
  const throttled = routes.filter(({ path = '$default' }) => open.includes(path))
  const { requestsPerSecond, burst } = throttle.open
  const limits = { ThrottlingRateLimit: requestsPerSecond, ThrottlingBurstLimit: burst }
  const created = stage.node.defaultChild as apigateway.CfnStage
  const resources = throttled.map(({ node }) => node.defaultChild as apigateway.CfnRoute)
  created.routeSettings = Object.fromEntries(resources.map(({ routeKey }) => [routeKey, limits]))
  // API Gateway refuses the settings of a route that is not there yet.
  for (const route of resources) created.addResourceDependency(route)
}

function whyWithoutAuthorizer(lambda: LambdaName): string {
  if (lambda === 'reference') return 'The API reference and the response to an unknown route are public.'
  if (lambda === 'dashboard')
    return 'The Lambda checks the session itself and redirects to the sign-in page, which an authorizer could not do.'
  if (lambda === 'connect') return 'Apps get their tokens here, and the Lambda itself checks their codes and tokens.'
  return (
    'The Lambda authenticates the API key itself, with one look-up that it caches for 15 seconds: permissions, tenant ' +
    'and error format are its own, and an authorizer would be a second Lambda with a second cold start.'
  )
}

function addCustomDomain(
  scope: Construct,
  api: apigateway.HttpApi,
  stage: apigateway.HttpStage,
  { name, certificateArn, cloudFront }: NonNullable<StageSettings['customDomain']>,
): void {
  const domainName = new apigateway.DomainName(scope, 'domain', {
    domainName: name,
    certificate: Certificate.fromCertificateArn(scope, 'certificate', certificateArn),
    securityPolicy: apigateway.SecurityPolicy.TLS_1_2,
  })
  new apigateway.ApiMapping(scope, 'domain-mapping', { api, domainName, stage })
  new CfnOutput(scope, 'domain-target', {
    description: `Target of the CNAME (or alias) record for ${name}.`,
    value: cloudFront ? createDistribution(scope, domainName, cloudFront) : domainName.regionalDomainName,
  })
}

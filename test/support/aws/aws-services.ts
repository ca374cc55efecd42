import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../http/loopback.ts'

interface FakeStack {
  status: string
  isProtected?: boolean
  outputs?: Record<string, string>
}

interface Answer {
  status?: number
  body: object | string
}

class Refused extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

type Input = Record<string, unknown>

/**
 * STS, CloudFormation, Secrets Manager, Lambda, CloudWatch, ACM and SES on loopback, as far as Lambdas and `npm run stage` call them, with
 * answers in the shapes of AWS’s documentation. `called` lists the actions as a policy names them, `denied` those that are refused.
 * `beforeWrite` and `afterWrite` stand around each that changes something; what they throw is a refusal.
 */
export async function startAwsServices() {
  const state = {
    account: '444455556666',
    limit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 1000 },
    reserved: undefined as number | undefined,
    reservations: new Map<string, number>(),
    /** The mappings of queues to Lambdas' aliases: true if enabled. */
    mappings: new Map<string, boolean>(),
    certificate: {} as object,
    /** SES's account, and its identities: true if verified. */
    mail: { ProductionAccessEnabled: true, SendingEnabled: true, EnforcementStatus: 'HEALTHY' },
    mailIdentities: new Map([['example.org', true]]),
    alarms: [] as string[],
    /** Times at which a metric was above zero. */
    reported: new Map<string, number[]>(),
    versions: new Map<string, string>(),
    /** The action of each Lambda, by name. */
    lambdas: new Map<string, (event: object) => Promise<unknown>>(),
    stacks: new Map<string, FakeStack>(),
    /** Undefined is a secret without a value. */
    secrets: new Map<string, string | undefined>(),
    /** The key of a customer that encrypts a secret. */
    secretKeys: new Map<string, string>(),
    /** Ids of secrets whose values were asked for. */
    asked: [] as unknown[],
    /** The responses to the next calls of a JSON service; without a status, none. */
    failures: [] as { status?: number; code?: string }[],
    called: new Set<string>(),
    denied: new Set<string>(),
    beforeWrite: (_action: string) => {},
    afterWrite: (_action: string) => {},
  }

  const secretOf = (id: unknown) => {
    if (!state.secrets.has(String(id)))
      throw new Refused('ResourceNotFoundException', 'Secrets Manager can’t find the specified secret.')
    return state.secrets.get(String(id))
  }
  const stackOf = (name: unknown) => {
    const stack = state.stacks.get(String(name))
    if (!stack) throw new Refused('ValidationError', `Stack with id ${name} does not exist`)
    return stack
  }
  const arnOf = (id: unknown) => `arn:aws:secretsmanager:eu-central-1:${state.account}:secret:${id}-a1b2c3`

  const reads: Record<string, (input: Input) => object | string | Promise<object>> = {
    'sts:GetCallerIdentity': () =>
      `<Arn>arn:aws:iam::${state.account}:user/ada</Arn><UserId>AIDA</UserId><Account>${state.account}</Account>`,
    'cloudformation:DescribeStacks': ({ StackName }) => stackXml(String(StackName), stackOf(StackName)),
    'secretsmanager:DescribeSecret': ({ SecretId }) => {
      const hasValue = secretOf(SecretId) !== undefined
      const VersionIdsToStages = hasValue ? { v1: ['AWSCURRENT'] } : undefined
      return {
        ARN: arnOf(SecretId),
        Name: SecretId,
        VersionIdsToStages,
        KmsKeyId: state.secretKeys.get(String(SecretId)),
      }
    },
    'secretsmanager:GetSecretValue': ({ SecretId }) => {
      state.asked.push(SecretId)
      const SecretString = secretOf(SecretId)
      if (SecretString !== undefined)
        return { ARN: arnOf(SecretId), Name: SecretId, SecretString, VersionStages: ['AWSCURRENT'] }
      throw new Refused('ResourceNotFoundException', 'There is no value for staging label: AWSCURRENT')
    },
    'lambda:GetAccountSettings': () => ({ AccountLimit: state.limit, AccountUsage: {} }),
    'lambda:GetFunctionConcurrency': () =>
      state.reserved === undefined ? {} : { ReservedConcurrentExecutions: state.reserved },
    'lambda:GetFunctionConfiguration': ({ FunctionName }) => {
      const Version = state.versions.get(String(FunctionName))
      if (Version) return { FunctionName, Version, LastModified: '2027-01-31T09:00:00.000+0000' }
      throw new Refused('ResourceNotFoundException', `Function not found: ${FunctionName}:live`)
    },
    'cloudwatch:DescribeAlarms': ({ AlarmNamePrefix, StateValue }) => ({
      MetricAlarms: state.alarms
        .filter((name) => StateValue === 'ALARM' && name.startsWith(String(AlarmNamePrefix)))
        .map((AlarmName) => ({ AlarmName, StateValue })),
      CompositeAlarms: [],
    }),
    'cloudwatch:GetMetricStatistics': ({ MetricName, StartTime, EndTime }) => ({
      Label: MetricName,
      Datapoints: (state.reported.get(String(MetricName)) ?? [])
        .filter((time) => time / 1000 >= Number(StartTime) && time / 1000 <= Number(EndTime))
        .map((time) => ({ Timestamp: time / 1000, Sum: 1, Unit: 'Count' })),
    }),
    'lambda:ListEventSourceMappings': ({ FunctionName }) => ({
      EventSourceMappings: [{ UUID: FunctionName, FunctionArn: FunctionName }],
    }),
    'lambda:InvokeFunction': async ({ FunctionName, ...event }) => {
      const invoked = state.lambdas.get(String(FunctionName))
      if (invoked) return (await invoked(event)) as object
      throw new Refused('ResourceNotFoundException', `Function not found: ${FunctionName}`)
    },
    'acm:DescribeCertificate': () => ({ Certificate: state.certificate }),
    'ses:GetAccount': () => state.mail,
    'ses:GetEmailIdentity': ({ FunctionName: name }) => {
      const isVerified = state.mailIdentities.get(String(name))
      if (isVerified === undefined) throw new Refused('NotFoundException', `Email identity ${name} does not exist.`)
      const IdentityType = String(name).includes('@') ? 'EMAIL_ADDRESS' : 'DOMAIN'
      return {
        IdentityType,
        VerifiedForSendingStatus: isVerified,
        VerificationStatus: isVerified ? 'SUCCESS' : 'PENDING',
      }
    },
  }
  const writes: Record<string, (input: Input) => object | string> = {
    'secretsmanager:PutSecretValue': ({ SecretId, SecretString }) => {
      secretOf(SecretId)
      state.secrets.set(String(SecretId), String(SecretString))
      return { ARN: arnOf(SecretId), Name: SecretId, VersionStages: ['AWSCURRENT'] }
    },
    'cloudformation:UpdateTerminationProtection': ({ StackName, EnableTerminationProtection }) => {
      stackOf(StackName).isProtected = EnableTerminationProtection === 'true'
      return `<StackId>${StackName}</StackId>`
    },
    'lambda:PutFunctionConcurrency': ({ FunctionName, ReservedConcurrentExecutions }) => {
      state.reservations.set(String(FunctionName), Number(ReservedConcurrentExecutions))
      return { ReservedConcurrentExecutions }
    },
    'lambda:DeleteFunctionConcurrency': ({ FunctionName }) => {
      state.reservations.delete(String(FunctionName))
      return {}
    },
    'lambda:UpdateEventSourceMapping': ({ UUID, Enabled }) => {
      state.mappings.set(String(UUID), Enabled === true)
      return { UUID, State: Enabled ? 'Enabling' : 'Disabling' }
    },
    'cloudwatch:PutMetricData': ({ MetricData }) => {
      for (const { MetricName } of MetricData as { MetricName: string }[])
        state.reported.set(MetricName, [...(state.reported.get(MetricName) ?? []), Date.now()])
      return {}
    },
    'cloudformation:DeleteStack': ({ StackName }) => {
      state.stacks.delete(String(StackName))
      return ''
    },
  }

  async function perform(action: string, input: Input): Promise<object | string> {
    state.called.add(action)
    if (state.denied.has(action))
      throw new Refused(
        'AccessDeniedException',
        `User: arn:aws:iam::${state.account}:user/ada is not authorized to perform: ${action} because no identity-based policy allows it`,
      )
    if (reads[action]) return await reads[action](input)
    if (!writes[action]) throw new Refused('UnknownOperationException', action)
    state.beforeWrite(action)
    const answer = writes[action](input)
    state.afterWrite(action)
    return answer
  }

  const { origin, close } = await listen(async (request, response) => {
    const { action, input, isQuery } = await toCall(request)
    const failure = state.failures.shift()
    if (failure) {
      state.asked.push(input.SecretId)
      const { status, code = '' } = failure
      if (status === undefined) return void request.socket.destroy()
      return void response.writeHead(status).end(code && JSON.stringify({ __type: code }))
    }
    try {
      const body = await perform(action, input)
      reply(response, isQuery ? { body: resultXml(action, String(body)) } : { body })
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const code = error instanceof Refused ? error.code : 'ValidationException'
      if (isQuery) return reply(response, { status: 400, body: errorXml(code, error.message) })
      response.setHeader('x-amzn-errortype', code)
      const status = /NotFound/.test(code) && /^(lambda|ses):/.test(action) ? 404 : 400
      reply(response, { status, body: { __type: code, message: error.message, Message: error.message } })
    }
  })
  return Object.assign(state, { origin, close })
}

const services: Record<string, string> = {
  secretsmanager: 'secretsmanager',
  GraniteServiceVersion20100801: 'cloudwatch',
  CertificateManager: 'acm',
}

const restPaths: [RegExp, string, service?: string][] = [
  [/^GET \/v2\/email\/account$/, 'GetAccount', 'ses'],
  [/^GET \/v2\/email\/identities\/([^/]+)$/, 'GetEmailIdentity', 'ses'],
  [/^GET .*account-settings$/, 'GetAccountSettings'],
  [/^GET .*functions\/([^/]+)\/concurrency$/, 'GetFunctionConcurrency'],
  [/^PUT .*functions\/([^/]+)\/concurrency$/, 'PutFunctionConcurrency'],
  [/^DELETE .*functions\/([^/]+)\/concurrency$/, 'DeleteFunctionConcurrency'],
  [/^GET .*functions\/([^/]+)\/configuration$/, 'GetFunctionConfiguration'],
  [/^POST .*functions\/([^/]+)\/invocations$/, 'InvokeFunction'],
  [/^GET .*event-source-mappings\/?$/, 'ListEventSourceMappings'],
  [/^PUT .*event-source-mappings\/([^/]+)$/, 'UpdateEventSourceMapping'],
]

/** The action as a policy names it: from the header of a JSON service, the form of a query service, or the path of Lambda and SES. */
async function toCall(request: IncomingMessage): Promise<{ action: string; input: Input; isQuery: boolean }> {
  const body = await text(request)
  const [target, operation] = String(request.headers['x-amz-target'] ?? '').split('.')
  if (operation) return { action: `${services[target!]}:${operation}`, input: JSON.parse(body), isQuery: false }
  if (body.startsWith('Action=')) {
    const form = Object.fromEntries(new URLSearchParams(body))
    const service = form.Version === '2011-06-15' ? 'sts' : 'cloudformation'
    return { action: `${service}:${form.Action}`, input: form, isQuery: true }
  }
  const { pathname, searchParams } = new URL(request.url!, 'http://lambda')
  const line = `${request.method} ${pathname}`
  const [pattern, name, service = 'lambda'] = restPaths.find(([each]) => each.test(line))!
  const named = decodeURIComponent(pattern.exec(line)?.[1] ?? searchParams.get('FunctionName') ?? '')
  const input = {
    ...(body && JSON.parse(body)),
    FunctionName: named,
    ...(name === 'UpdateEventSourceMapping' && { UUID: named }),
  }
  return { action: `${service}:${name}`, input, isQuery: false }
}

function reply(response: ServerResponse, { status = 200, body }: Answer): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/xml' : 'application/x-amz-json-1.1' })
  response.end(isText ? body : JSON.stringify(body))
}

function resultXml(action: string, result: string): string {
  const operation = action.split(':')[1]!
  return `<${operation}Response><${operation}Result>${result}</${operation}Result><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></${operation}Response>`
}

const errorXml = (code: string, message: string) =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>r</RequestId></ErrorResponse>`

function stackXml(name: string, { status, isProtected = false, outputs = {} }: FakeStack): string {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  )
  return (
    `<Stacks><member><StackName>${name}</StackName><StackId>${name}</StackId><StackStatus>${status}</StackStatus>` +
    `<CreationTime>2027-01-31T09:00:00.000Z</CreationTime><EnableTerminationProtection>${isProtected}</EnableTerminationProtection>` +
    `<Outputs>${members.join('')}</Outputs></member></Stacks>`
  )
}

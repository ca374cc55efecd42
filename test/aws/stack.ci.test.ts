import { beforeAll, describe, expect, test } from 'vitest'
import { secretNames } from '../../infra/aws/stages.ts'
import { cors } from '../../infra/cors.ts'
import { lambdaNames } from '../../infra/wiring.ts'
import { type Fields, logicalId, type Resource, type StackTemplate, useSynthesis } from '../support/aws/aws-template.ts'

const synthesis = useSynthesis()
let prod: StackTemplate

beforeAll(() => {
  prod = synthesis.stack('prod')
})

describe('the Lambdas', () => {
  test('log to a group of their own with a retention, the Lambda that CDK adds included', () => {
    const groups = prod.ofType('AWS::Lambda::Function').map(([id, { Properties }]) => {
      const group = prod.resolve((Properties.LoggingConfig as Fields).LogGroup!)
      expect(prod.one('AWS::Logs::LogGroup', 'LogGroupName', group)[1].Properties.RetentionInDays, id).toBe(90)
      return group
    })
    expect(new Set(groups).size).toBe(groups.length)
  })

  test('get secrets by name only', () => {
    for (const name of lambdaNames) {
      const { Variables } = prod.lambda(name).Properties.Environment as { Variables: Fields }
      for (const [key, value] of Object.entries(Variables)) {
        if (/KEY(?!_SIGN_IN)|PASSWORD|DATABASE_URL/.test(key)) throw new Error(`${name} has ${key} in its environment`)
        if (key.endsWith('_SECRET')) expect(value, key).toMatch(/^cuecard\/prod\//)
      }
    }
  })
})

test('browsers may call only from pages of the stage’s origins, with the headers of the API and without credentials', () => {
  const corsOf = (stage: 'prod' | 'everything') =>
    synthesis.stack(stage).ofType('AWS::ApiGatewayV2::Api')[0]![1].Properties.CorsConfiguration
  expect(corsOf('prod')).toBeUndefined()
  expect(corsOf('everything')).toEqual({
    AllowOrigins: ['https://app.cuecard.example', 'http://localhost:3000'],
    AllowMethods: cors.allowMethods,
    AllowHeaders: cors.allowHeaders,
    ExposeHeaders: cors.exposeHeaders,
    MaxAge: cors.maxAgeSeconds,
  })
  for (const name of 'ETag Location Link Retry-After Idempotency-Replayed X-Request-Id Server-Timing'.split(' '))
    expect(cors.exposeHeaders).toContain(name)
})

test('each Lambda has the reviewed permissions, variables, routes and schedule (to accept others: npm run test:ci -- aws/stack -u)', async () => {
  const names = [...lambdaNames, 'migrate']
  const lines = names.flatMap((name) => {
    const { MemorySize, Timeout, Environment, Runtime, Architectures } = prod.lambda(name).Properties
    const variables = Object.entries((Environment as { Variables: Fields }).Variables)
    const known = variables.map(([key, value]) => (key.endsWith('_OPTIONS') ? `${key}="${value}"` : key))
    const own = new Set(grants(prod, roleOf(name)))
    const logs = `logs:CreateLogStream logs:PutLogEvents on /aws/lambda/cuecard-prod-${name}`
    expect(own.delete(logs), name).toBe(true)
    return [
      `${name}: ${MemorySize} MB, ${Timeout} s, ${Runtime} on ${Architectures}`,
      `  knows ${known.sort().join(' ')}`,
      ...[...own].sort().map((granted) => `  may ${granted}`),
      ...served(`cuecard-prod-${name}:live`).map((route) => `  serves ${route}`),
      ...runs(name),
      '',
    ]
  })
  const roles = names.map((name) => roleOf(name))
  expect(new Set(roles).size).toBe(roles.length)
  const others = prod.ofType('AWS::IAM::Role').filter(([id]) => !roles.includes(id))
  lines.push(...others.flatMap(([id]) => [`${id} may`, ...grants(prod, id).map((granted) => `  ${granted}`)]), '')
  await expect(lines.join('\n')).toMatchFileSnapshot('reviewed/prod.txt')
})

/** The routes that lead to a Lambda, each of which may invoke it on that route of that API alone. */
function served(alias: string): string[] {
  const routes = prod.ofType('AWS::ApiGatewayV2::Route').flatMap(([, { Properties }]) => {
    const integration = prod.resources[prod.resolve(Properties.Target!).replace('integrations/', '')]!.Properties
    expect(integration.PayloadFormatVersion).toBe('2.0')
    return prod.resolve(integration.IntegrationUri!) === alias ? [String(Properties.RouteKey)] : []
  })
  const permitted = prod.ofType('AWS::Lambda::Permission').flatMap(([, { Properties }]) => {
    expect(Properties.Principal).toBe('apigateway.amazonaws.com')
    const path = prod.resolve(Properties.SourceArn!).replace(/^.*\/\*\/(\*|\$default)/, '$1')
    return prod.resolve(Properties.FunctionName!) === alias ? [path] : []
  })
  expect(permitted.sort()).toEqual(routes.map((route) => route.replace('ANY ', '*').replace('$default', '*')).sort())
  return routes.sort()
}

describe('permissions', () => {
  test('let those that read secrets decrypt them, where the stage names their key', () => {
    const template = synthesis.stack('everything')
    const decrypts = (name: string, stack: StackTemplate) =>
      grants(stack, roleOf(name, stack)).some((grant) => /^kms:Decrypt .*:key\/1234abcd-/.test(grant))
    const all = [...lambdaNames, 'migrate']
    expect(all.filter((name) => !decrypts(name, template))).toEqual(['reference'])
    expect(all.filter((name) => decrypts(name, prod))).toEqual([])
  })

  test('come from these roles only: no other policy is attached', () => {
    expect(prod.ofType('AWS::IAM::Policy')).toEqual([])
    expect(prod.ofType('AWS::IAM::ManagedPolicy')).toEqual([])
    const managed = prod.ofType('AWS::IAM::Role').filter(([, { Properties }]) => 'ManagedPolicyArns' in Properties)
    expect(managed.map(([id]) => id)).toEqual([expect.stringContaining('TriggerCustomResourceProvider')])
  })
})

test('only the dashboard sends mails, from the address of the stage and by its identity or that of its domain or a domain above', () => {
  const stack = synthesis.stack('everything')
  const identity = 'arn:aws:ses:eu-central-1:111122223333:identity'
  const ids = ['hello@mail.cuecard.example', 'mail.cuecard.example', 'cuecard.example'].map((id) => `${identity}/${id}`)
  const mailing = `ses:SendEmail on ${ids.toSorted().join(' ')} if {"StringEquals":{"ses:FromAddress":"hello@mail.cuecard.example"}}`
  for (const name of [...lambdaNames, 'migrate'])
    expect(
      grants(stack, roleOf(name, stack)).filter((each) => each.includes('ses:')),
      name,
    ).toEqual(name === 'dashboard' ? [mailing] : [])
})

test('only the dashboard has the settings that sign people in, and the client secret by its name', () => {
  const stack = synthesis.stack('everything')
  for (const name of [...lambdaNames, 'migrate']) {
    const { Variables } = stack.lambda(name).Properties.Environment as { Variables: Fields }
    const known = Object.entries(Variables).filter(([key]) => /^(MAIL|OIDC|KEY_SIGN)/.test(key))
    const settings = {
      MAIL_FROM: 'Cuecard <hello@mail.cuecard.example>',
      OIDC_ISSUER: 'https://accounts.example.com',
      OIDC_CLIENT_ID: 'cuecard',
      OIDC_NAME: 'Example',
      OIDC_SECRET: 'cuecard/everything/oidc',
    }
    expect(Object.fromEntries(known), name).toEqual(name === 'dashboard' ? settings : {})
    const reads = grants(stack, roleOf(name, stack)).some((each) => each.includes('cuecard/everything/oidc'))
    expect(reads, name).toBe(name === 'dashboard')
  }
})

describe('routes', () => {
  test('have a throttle and an access log that holds no header and no path', () => {
    const [, { Properties }] = prod.ofType('AWS::ApiGatewayV2::Stage')[0]!
    expect(Properties.DefaultRouteSettings).toMatchObject({ ThrottlingRateLimit: 400, ThrottlingBurstLimit: 300 })
    const { Format, DestinationArn } = Properties.AccessLogSettings as Fields
    expect(prod.resolve(DestinationArn!)).toBe('/aws/vendedlogs/cuecard-prod-http-api')
    expect(JSON.parse(String(Format))).toMatchObject({ request_id: '$context.requestId', status: '$context.status' })
    expect(Format).not.toMatch(/header|authorizer|path/i)
  })

  test('that anybody may call without a key have a throttle of their own, which leaves most of the stage’s to callers', () => {
    const [, { Properties }] = prod.ofType('AWS::ApiGatewayV2::Stage')[0]!
    const open = (['connect', 'dashboard', 'reference'] as const).flatMap((name) => served(`cuecard-prod-${name}:live`))
    const limit = { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 }
    expect(Properties.RouteSettings).toEqual(Object.fromEntries(open.map((route) => [route, limit])))
  })

  test('are served under the custom domain alone where there is one, over TLS 1.2', () => {
    const stack = synthesis.stack('everything')
    const [, api] = stack.ofType('AWS::ApiGatewayV2::Api')[0]!
    const [, domain] = stack.ofType('AWS::ApiGatewayV2::DomainName')[0]!
    expect(api.Properties.DisableExecuteApiEndpoint).toBe(true)
    const DomainNameConfigurations = [{ SecurityPolicy: 'TLS_1_2' }]
    expect(domain.Properties).toMatchObject({ DomainName: 'api.cuecard.example', DomainNameConfigurations })
    expect(prod.ofType('AWS::ApiGatewayV2::DomainName')).toEqual([])
  })
})

describe('CloudFront, where the stage has it', () => {
  const stack = () => synthesis.stack('everything')

  test('serves the custom domain behind the team’s web ACL, caches nothing, and passes the Host that API Gateway expects', () => {
    const [, { Properties }] = stack().ofType('AWS::CloudFront::Distribution')[0]!
    const { Aliases, WebACLId, ViewerCertificate, DefaultCacheBehavior, Origins } =
      Properties.DistributionConfig as Record<string, Fields>
    const [domain] = stack().ofType('AWS::ApiGatewayV2::DomainName')[0]!
    expect([Aliases, WebACLId]).toEqual([[{ Ref: domain }], expect.stringContaining(':global/webacl/cuecard/')])
    expect(ViewerCertificate).toMatchObject({ AcmCertificateArn: expect.stringContaining(':us-east-1:') })
    expect(DefaultCacheBehavior).toMatchObject({
      ViewerProtocolPolicy: 'https-only',
      AllowedMethods: expect.arrayContaining(['POST', 'PATCH', 'DELETE']),
      // AWS's policies CachingDisabled and AllViewerAndCloudFrontHeaders-2022-06.
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      OriginRequestPolicyId: '33f36d7e-f396-46d9-90e0-52428a34d9dc',
    })
    expect(Origins).toMatchObject([{ DomainName: { 'Fn::GetAtt': [domain, 'RegionalDomainName'] } }])
    const target = JSON.parse(stack().text).Outputs.domaintarget.Value
    expect(stack().resources[logicalId(target)]!.Type).toBe('AWS::CloudFront::Distribution')
  })

  test('tells the dashboard whose request it is, and no other stage trusts its header', () => {
    const trusts = (each: StackTemplate) =>
      (each.lambda('dashboard').Properties.Environment as { Variables: Fields }).Variables.BEHIND_CLOUDFRONT
    expect([trusts(stack()), trusts(prod)]).toEqual(['true', undefined])
  })
})

test('the canary calls the address that customers call', () => {
  const addressOf = (stage: 'prod' | 'everything') => {
    const stack = synthesis.stack(stage)
    return stack.resolve((stack.lambda('canary').Properties.Environment as { Variables: Fields }).Variables.BASE_URL!)
  }
  expect(addressOf('prod')).toBe('cuecard-prod')
  expect(addressOf('everything')).toBe('https://api.cuecard.example')
})

describe('secrets', () => {
  test('are created without a value, one for each role that connects', () => {
    const stack = synthesis.secrets('prod')
    const names = stack.ofType('AWS::SecretsManager::Secret').map(([, { Properties }]) => {
      expect(Object.keys(Properties).sort()).toEqual(['Description', 'Name', 'Tags'])
      return Properties.Name
    })
    expect(names).toEqual(
      secretNames
        .filter((name) => !/^(previous-provider|oidc)$/.test(name))
        .map((name) => `cuecard/prod/${name === 'provider' ? 'provider/api.openai.com/v1' : name}`),
    )
  })

  test('appear in no template: no connection URL, no key, no value resolved at deploy', () => {
    for (const stage of ['dev', 'prod', 'everything'] as const) {
      const text = synthesis.stack(stage).text + synthesis.secrets(stage).text
      expect(text).not.toMatch(/postgres(ql)?:\/\/\w|\bsk-|resolve:secretsmanager|SecretString/)
    }
  })

  test('outlive their stack in production, as its logs do', () => {
    const expectKept = (stack: StackTemplate, type: string, policy: string) => {
      for (const [id, { DeletionPolicy }] of stack.ofType(type)) expect(DeletionPolicy, id).toBe(policy)
    }
    expectKept(synthesis.secrets('prod'), 'AWS::SecretsManager::Secret', 'RetainExceptOnCreate')
    expectKept(prod, 'AWS::Logs::LogGroup', 'RetainExceptOnCreate')
    expectKept(synthesis.secrets('dev'), 'AWS::SecretsManager::Secret', 'Delete')
  })
})

function roleOf(name: string, stack = prod): string {
  return logicalId(stack.lambda(name).Properties.Role!)
}

/** The schedule of a Lambda, and the handling of a failed run by the schedule and by Lambda itself. */
function runs(name: string): string[] {
  const retries = ({ MaximumRetryAttempts, MaximumEventAgeInSeconds }: Fields) =>
    `${MaximumRetryAttempts} retries within ${MaximumEventAgeInSeconds} s`
  const isOwn = ([, { Properties }]: [string, Resource]) =>
    prod.resolve(Properties.FunctionName!) === `cuecard-prod-${name}`
  return prod.ofType('AWS::Scheduler::Schedule').flatMap(([, { Properties }]) => {
    const { Arn, RetryPolicy } = Properties.Target as Record<string, Fields>
    if (prod.resolve(Arn!) !== `cuecard-prod-${name}:live`) return []
    const own = prod
      .ofType('AWS::Lambda::EventInvokeConfig')
      .filter(isOwn)
      .map(([, each]) => retries(each.Properties))
    return [`  runs at ${Properties.ScheduleExpression}: ${retries(RetryPolicy!)}, then ${own}`]
  })
}

/** `actions on resources`, and `if` under a condition, for each allowed statement of a role. */
function grants(stack: StackTemplate, role: string): string[] {
  const policies = (stack.resources[role]!.Properties.Policies ?? []) as { PolicyDocument: { Statement: Fields[] } }[]
  return policies
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .map(({ Effect, Action, Resource, Condition, ...rest }) => {
      expect(Effect).toBe('Allow')
      expect(rest).toEqual({})
      return `${[Action].flat().sort().join(' ')} on ${stack.resolve([Resource!].flat())}${Condition ? ` if ${JSON.stringify(Condition)}` : ''}`
    })
}

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { handler } from '../functions/canary/handler.ts'
import { tryRelease } from '../functions/canary/release.ts'
import { createAgent } from '../infra/admin/tenants.ts'
import type { LambdaHandler } from '../infra/local/lambda.ts'
import type { OrganizationId } from '../shared/ids.ts'
import { log } from '../shared/log.ts'
import { startCodeDeploy } from './support/aws/code-deploy.ts'
import { useGateway } from './support/stand/gateway.ts'
import { useStand } from './support/stand/stand.ts'

const stand = useStand()
const gateway = useGateway(stand)
let aws: Awaited<ReturnType<typeof startCodeDeploy>>
let apiKey: string

beforeAll(async () => {
  aws = await startCodeDeploy()
  const tenant = await stand.tenant(['kb:read', 'kb:write'])
  await createAgent(stand.db, tenant.organizationId as OrganizationId, 'Canary')
  apiKey = tenant.apiKey
})
afterAll(() => aws?.close())
beforeEach(() => {
  aws.invoked.length = 0
  vi.spyOn(log, 'error').mockImplementation(() => {})
  return () => vi.restoreAllMocks()
})

const routeOf = (name: string) => stand.functions.routes.find(({ functionName }) => functionName === name)!

/** Deploys a version of a Lambda, up to the moment before the first caller's request reaches it. */
async function release(name: string, handler: LambdaHandler<never, unknown> = routeOf(name).handler) {
  const { event, outcome } = aws.begin(routeOf(name), handler)
  const canary = { baseUrl: gateway.origin, apiKey: () => Promise.resolve(apiKey), pause: () => stand.deliver() }
  await tryRelease(event, { ...canary, signal: AbortSignal.timeout(60_000), addressOf: () => aws.origin })
  return outcome()
}

describe.each(['agents', 'documents', 'search'])('a release of %s', (name) => {
  test('goes on when the canary’s journey through its new version succeeds, the public address being on the old one', async () => {
    expect(await release(name)).toBe('Succeeded')
    expect(new Set(aws.invoked)).toEqual(new Set([`cuecard-prod-${name}:8`]))
  })

  test('is stopped when every request to its new version gets a 500, though no caller has sent one', async () => {
    expect(await release(name, () => ({ statusCode: 500, headers: {}, body: '{"code":"internal_error"}' }))).toBe(
      'Failed',
    )
  })

  test('is stopped when its new version crashes', async () => {
    const crash = () => Promise.reject(new Error('Cannot find module'))
    expect(await release(name, crash)).toBe('Failed')
  })
})

test('the hook’s handler stops a release that it cannot try, so that no deployment waits for an hour', async () => {
  const { event, outcome } = aws.begin({ ...routeOf('search'), functionName: 'search' }, routeOf('search').handler)
  const env = { BASE_URL: gateway.origin, AWS_ENDPOINT_URL: aws.origin, CANARY_SECRET: undefined }
  for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value)
  await handler(event, { getRemainingTimeInMillis: () => 20_000 })
  vi.unstubAllEnvs()
  expect(outcome()).toBe('Failed')
})

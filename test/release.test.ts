import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { handler } from '../functions/canary/handler.ts'
import { tryRelease } from '../functions/canary/release.ts'
import { createAgent } from '../infra/admin/agents.ts'
import type { LambdaHandler } from '../infra/local/lambda.ts'
import type { OrganizationId } from '../shared/ids.ts'
import { log } from '../shared/telemetry/log.ts'
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

/** Deploys new versions of both Lambdas, up to the moment before the first caller's request reaches them. */
async function release(change: Record<string, LambdaHandler<never, unknown>> = {}) {
  const { event, outcome } = aws.begin()
  const names = ['agents', 'search']
  const versions = names.map((name) => [name, aws.publish(name, change[name] ?? routeOf(name).handler)])
  const canary = { baseUrl: gateway.origin, apiKey: () => Promise.resolve(apiKey), pause: () => stand.deliver() }
  const own = { versions: Object.fromEntries(versions), addressOf: () => aws.origin }
  await tryRelease(event, { ...canary, ...own, signal: AbortSignal.timeout(60_000) })
  return outcome()
}

describe('a release', () => {
  test('goes on when the canary’s journey through its new versions succeeds, the public address being on the old ones', async () => {
    expect(await release()).toBe('Succeeded')
    expect(aws.invoked).toEqual(['cuecard-prod-agents:8', 'cuecard-prod-search:8'])
  })

  const failing = () => ({ statusCode: 500, headers: {}, body: '{"code":"internal_error"}' })
  test.each(['agents', 'search'])(
    'is stopped when every request to %s gets a 500, though no caller has sent one',
    async (name) => {
      expect(await release({ [name]: failing })).toBe('Failed')
    },
  )

  test.each(['agents', 'search'])('is stopped when %s crashes', async (name) => {
    expect(await release({ [name]: () => Promise.reject(new Error('Cannot find module')) })).toBe('Failed')
  })

  test('is stopped by the hook’s own fault, so that no deployment waits for an hour', async () => {
    const { event, outcome } = aws.begin()
    const NEW_VERSIONS = JSON.stringify({ search: 'cuecard-prod-search/invocations?Qualifier=9' })
    const env = { BASE_URL: gateway.origin, AWS_ENDPOINT_URL: aws.origin, CANARY_SECRET: undefined, NEW_VERSIONS }
    for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value)
    await handler(event, { getRemainingTimeInMillis: () => 20_000 })
    vi.unstubAllEnvs()
    expect(outcome()).toBe('Failed')
  })
})

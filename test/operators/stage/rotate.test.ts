import { pathToFileURL } from 'node:url'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { toEvent } from '../../../infra/local/gateway/event.ts'
import { invoke, type LambdaHandler } from '../../../infra/local/lambda.ts'
import type { DatabaseUser } from '../../../infra/wiring.ts'
import { entryOf } from '../../support/entry.ts'
import { useStageOf } from '../../support/stage.ts'
import { useStand } from '../../support/stand.ts'

const stand = useStand()
const stage = useStageOf(stand)

beforeEach(async () => {
  await stage.clear()
  expect(await stage.run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
  stage.stayOnProxy()
})

let loads = 0

/** A warm instance of a Lambda, with the settings of a deployed one. */
async function instanceOf(name: DatabaseUser) {
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', stage.aws.origin)
  const env = { DATABASE_SECRET: `cuecard/prod/database-${name}`, DATABASE_ENDPOINT: stage.proxy.origin }
  const { DATABASE_URL, DATABASE_ENDPOINT } = process.env
  Object.assign(process.env, env, { DATABASE_URL: '' })
  const { handler } = await import(`${pathToFileURL(entryOf(name)).href}?rotated=${loads++}`)
  Object.assign(process.env, { DATABASE_URL, DATABASE_ENDPOINT })
  delete process.env.DATABASE_SECRET
  const routes = stand.functions.routes.map(({ route }) => route)
  return async (apiKey: string, method: string, url: string, body?: object): Promise<number> => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const event = toEvent({ method, url, headers, ...(body && { body: JSON.stringify(body) }) }, routes)
    const settings = { functionName: name, timeoutSeconds: 60 }
    const result = await invoke(handler as LambdaHandler<unknown, unknown>, event, settings)
    return (result as APIGatewayProxyStructuredResultV2).statusCode!
  }
}

const userIn = (lambda: DatabaseUser) => URL.parse(stage.secret(`database-${lambda}`)!)!.username

describe('npm run stage -- rotate', () => {
  test('fails no request under load, forth and back, and lets nobody in with an old password', async () => {
    const { apiKey, knowledgeBase } = await stand.tenant()
    const documents = [await instanceOf('documents'), await instanceOf('documents')] as const
    const search = await instanceOf('search')
    const statuses: number[] = []
    let isOver = false
    const load = async (request: () => Promise<number>) => {
      while (!isOver) statuses.push(await request())
    }
    const query = { query: 'opening hours' }
    const running = Promise.all([
      ...documents.map((instance) => load(() => instance(apiKey, 'GET', knowledgeBase))),
      load(() => documents[0](apiKey, 'POST', knowledgeBase, { title: 'Hours', content: 'Open from nine.' })),
      load(() => search(apiKey, 'POST', `${knowledgeBase}/search`, query)),
    ])
    const others = async (count: number) => {
      const enough = statuses.length + count
      await vi.waitUntil(() => statuses.length >= enough, { timeout: 60_000, interval: 20 })
    }
    await others(8)
    const old = stage.secret('database-documents')!
    for (const slot of [2, 1]) {
      const rotated = await stage.run(['rotate', 'prod', '--yes', '--login', 'documents', 'search'])
      expect(rotated, rotated.stderr).toMatchObject({ code: 0 })
      expect([userIn('documents'), userIn('search')]).toEqual([`cuecard_documents_${slot}`, `cuecard_search_${slot}`])
      await others(8)
    }
    isOver = true
    await running
    expect(statuses.filter((status) => status >= 300)).toEqual([])
    // Each warm instance met its closed login, and went on with the new one.
    expect(stage.proxy.refused).toBeGreaterThanOrEqual(4)
    const headers = { 'neon-connection-string': old }
    const body = JSON.stringify({ query: 'select 1', params: [] })
    expect((await fetch(`${stage.proxy.origin}/sql`, { method: 'POST', headers, body })).ok).toBe(false)
  })

  test('rotates every login without --login, and none that create has not made', async () => {
    const { code, stdout } = await stage.run(['rotate', 'prod', '--yes', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).data).toContainEqual({
      lambda: 'sweeper',
      login: 'cuecard_sweeper_2',
      closed: 'cuecard_sweeper_1',
    })
    stage.aws.secrets.set('cuecard/prod/database-chunks', 'postgres://somebody:else@example.org/db')
    const refused = await stage.run(['rotate', 'prod', '--yes'])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('npm run stage -- create prod') })
    expect(userIn('sweeper')).toBe('cuecard_sweeper_2')
  })
})

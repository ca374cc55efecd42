import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { DatabaseUser } from '../../../infra/wiring.ts'
import { instanceOn, useStageOf } from '../../support/aws/stage.ts'
import { useStand } from '../../support/stand/stand.ts'

const stand = useStand()
const stage = useStageOf(stand)

beforeEach(async () => {
  await stage.clear()
  expect(await stage.run(['create', 'prod', '--yes'])).toMatchObject({ code: 0 })
  stage.stayOnProxy()
})

const instanceOf = (name: DatabaseUser) => instanceOn(stage, stand, name)

const userIn = (lambda: DatabaseUser) => URL.parse(stage.secret(`database-${lambda}`)!)!.username

describe('npm run stage -- rotate', () => {
  test('fails no request under load, twice in a row, and rejects old passwords', async () => {
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
    // Each warm instance found its login closed, and continued with the new one.
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

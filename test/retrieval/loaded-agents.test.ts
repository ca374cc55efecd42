import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Batch, Database } from '../../shared/database/database.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { emptyIndex } from '../../shared/retrieval/index/agent-index.ts'
import { upToDate } from '../../shared/retrieval/index/changes.ts'
import { LoadedAgents, loadedAgents } from '../../shared/retrieval/index/loaded-agents.ts'
import { tenantWith } from '../support/documents/known-documents.ts'
import { newSearch } from '../support/stand/new-search.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { scopeOf, searchDatabaseOf } from './knowledge.ts'

const stand = useStand()

/** Tenants whose indexes are equally large, and that size. No test changes them. */
let tenants: [Tenant, Tenant, Tenant]
let bytes: number

beforeAll(async () => {
  tenants = [await one(), await one(), await one()]
  bytes = (await upToDate(searchDatabaseOf(tenants[0]), emptyIndex(scopeOf(tenants[0])))).bytes
  expect(bytes).toBeGreaterThan(0)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const one = () => tenantWith(stand, ['Guests park behind the house.'])

/** The indexes of an instance, and how many it has loaded. */
function instance(maxBytes?: number) {
  const agents = new LoadedAgents(maxBytes)
  const loaded = { count: 0 }
  const of = (tenant: Tenant, fail = false) => {
    const db = searchDatabaseOf(tenant)
    const batch = <const Q extends Batch>(statements: Q) => {
      loaded.count++
      return fail ? Promise.reject(new Error('No connection')) : db.batch(statements)
    }
    return agents.of({ batch } as Pick<Database, 'batch'>, scopeOf(tenant))
  }
  /** True if the instance has to load the agent. */
  const loads = async (tenant: Tenant) => {
    const before = loaded.count
    await of(tenant)
    return loaded.count > before
  }
  return { agents, of, loads, loaded }
}

describe('an instance', () => {
  test('keeps as many indexes as fit, and drops the least recently used', async () => {
    const [a, b, c] = tenants
    const { loads } = instance(2.5 * bytes)
    expect([await loads(a), await loads(b), await loads(a), await loads(b), await loads(a)]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
    expect(await loads(c)).toBe(true)
    expect([await loads(a), await loads(c)]).toEqual([false, false])
    expect(await loads(b)).toBe(true)
    expect(await loads(c)).toBe(false)
    expect(await loads(a)).toBe(true)
  })

  test('counts an index once that is kept again', async () => {
    const [a, b] = tenants
    const { agents, of, loads } = instance(2 * bytes)
    await of(b)
    for (let i = 0; i < 3; i++) agents.keep(await of(a))
    expect([await loads(a), await loads(b)]).toEqual([false, false])
  })

  test('loads an agent once for searches at the same time, and again after a load that failed', async () => {
    const [a, b] = tenants
    const { of, loaded } = instance()
    const [first, ...others] = await Promise.all([of(a), of(a), of(a)])
    expect(others.every((index) => index === first)).toBe(true)
    expect(loaded.count).toBe(1)
    const failed = await Promise.allSettled([of(b, true), of(b)])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect((await of(b)).chunks).toBe(1)
  })

  test('loads an index anew that it has not read for six days, since the database forgets deleted documents after seven', async () => {
    const [a] = tenants
    const { agents, of, loads } = instance()
    vi.useFakeTimers({ toFake: ['Date'] })
    const days = (count: number) => vi.setSystemTime(Date.now() + count * 24 * 60 * 60 * 1000)
    await of(a)
    days(5.9)
    // A question's prefetch uses an index without reading its changes.
    expect(await loads(a)).toBe(false)
    days(0.2)
    expect(await loads(a)).toBe(true)
    days(5.9)
    agents.keep(await of(a))
    days(0.2)
    expect(await loads(a)).toBe(false)
  })
})

describe('an agent that is too large for an instance', () => {
  const refused = {
    code: 'payload_too_large',
    message: expect.stringContaining('more than a search can hold. Divide its documents'),
  }

  test('is refused by all searches, and takes no other’s place', async () => {
    const [small] = tenants
    const large = await tenantWith(stand, ['Guests park behind the house.', 'Dogs are welcome.', 'Lunch is at noon.'])
    const { of, loads } = instance(1.5 * bytes)
    await of(small)
    const outcomes = await Promise.allSettled([of(large), of(large), of(large)])
    expect(outcomes).toMatchObject(Array(3).fill({ status: 'rejected', reason: refused }))
    await expect(of(large)).rejects.toMatchObject(refused)
    expect(await loads(small)).toBe(false)
  })

  test('is refused once it grows, with 413', async () => {
    const tenant = await one()
    const { agents, of } = instance(1.5 * bytes)
    vi.spyOn(loadedAgents, 'of').mockImplementation((...given) => agents.of(...given))
    vi.spyOn(loadedAgents, 'keep').mockImplementation((index) => agents.keep(index))
    const { search } = newSearch({ baseUrl: 'http://unused' }, { embedder: lexicalEmbedder() })
    expect((await search(tenant)).status).toBe(200)
    for (const content of ['Dogs are welcome.', 'Lunch is at noon.'])
      await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content })
    await stand.deliver()
    expect(await search(tenant)).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large', detail: expect.stringContaining('The agent has 3 chunks, more than') },
    })
    await expect(of(tenant)).rejects.toMatchObject(refused)
  })
})

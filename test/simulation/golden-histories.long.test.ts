import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { questionsApp } from '../../functions/questions/app.ts'
import { judge, selectQuestions } from '../../shared/checks/check.ts'
import type { AgentScope } from '../../shared/database/scope.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { searchAfter } from '../../shared/knowledge/search-after.ts'
import { Random } from './random.ts'
import { useHistories } from './seeds.ts'
import { type Universe, World } from './world.ts'

const { first, count, playAll } = useHistories('GOLDEN', { first: 4711, count: 2, thorough: 200 })

const goods = ['amber', 'birch', 'cedar', 'delta']
const factOf = (random: Random, good: string) => `The ${good} costs ${random.below(3)} euros.`

test(`random histories (${count}) serve no revision that breaks a golden question that blocks, and no document is stuck`, {
  timeout: 3_600_000,
}, async () => {
  let blocked = 0
  await playAll(async (universe, seed) => {
    blocked += await playHistory(universe, seed)
  })
  console.info(`changes refused in histories from seed ${first}: ${blocked}`)
  expect(blocked).toBeGreaterThan(0)
})

/** Requests and workers of one agent, one statement after the other in an order that the seed decides. @returns how many changes were refused */
async function playHistory(universe: Universe, seed: number): Promise<number> {
  const random = new Random(seed)
  const world = new World(universe, random)
  await world.open()
  const { organizationId, agentId, key } = world.tenants[0]!
  const scope = { organizationId, agentId } as AgentScope
  const db = world.db.forOrganization(scope.organizationId)
  const questions = questionsApp({ db: world.db, embedder: lexicalEmbedder(), now: () => 0 })
  const base = `/v1/agents/${agentId}`
  let refused = 0
  let passing = new Set<string>()
  let seen = ''

  const send = (app: typeof questions | typeof world.documents, ...sent: Parameters<typeof world.send>[2]) =>
    world.send(app, key, sent, ({ status }) => {
      if (status >= 500) throw new Error(`${sent.slice(0, 2)} answered ${status}`)
      if (status === 409) refused++
    })
  const content = () => goods.flatMap((good) => (random.chance(0.6) ? factOf(random, good) : [])).join(' ') || 'Closed.'

  async function request() {
    const { rows } = await sql<{ id: string; content: string }>`select id, content from documents order by id`.execute(
      db,
    )
    const kept = await sql<{ id: string }>`select id from golden_questions order by id`.execute(db)
    const path = `${base}/knowledge-base/${rows.length > 0 ? random.pick(rows).id : ''}`
    const kind =
      rows.length === 0
        ? 'create'
        : random.weighed({ create: 3, edit: 8, title: 2, dates: 2, remove: 2, ask: 8, forget: 1, retry: 2 })
    const good = random.pick(goods)
    if (kind === 'create') send(world.documents, 'POST', `${base}/knowledge-base`, { title: good, content: content() })
    if (kind === 'edit') send(world.documents, 'PATCH', path, { content: content() })
    if (kind === 'title') send(world.documents, 'PATCH', path, { title: `${good} ${random.below(9)}` })
    if (kind === 'retry') send(world.documents, 'PATCH', path, { status: 'pending' })
    if (kind === 'dates')
      send(world.documents, 'PATCH', path, { valid_until: random.chance(0.5) ? null : '2020-01-01T00:00:00Z' })
    if (kind === 'remove') send(world.documents, 'DELETE', path)
    if (kind === 'ask' && kept.rows.length < 5) {
      const expects = random.chance(0.8) ? { words: factOf(random, good) } : { nothing: true }
      const asked = {
        question: `What does the ${good} cost?`,
        expects,
        within: 1 + random.below(2),
        on_failure: 'block',
      }
      send(questions, 'POST', `${base}/golden-questions`, asked)
    }
    if (kind === 'forget' && kept.rows.length > 0)
      send(questions, 'DELETE', `${base}/golden-questions/${random.pick(kept.rows).id}`)
  }

  const deliver = () => world.deliverNext(() => 1e9)

  async function check() {
    const { rows } = await sql<{ served: string }>`
      select string_agg(concat_ws(' ', id, active_revision, title, valid_until), ';' order by id) as served
      from (select id, active_revision, title, valid_until from documents
        union all select id, 0, question, null from golden_questions) d`.execute(db)
    if (rows[0]!.served === seen) return
    seen = rows[0]!.served
    const { asked } = await db.batch({ asked: selectQuestions(scope, 500) }).catch(() => ({ asked: [] }))
    const found = await searchAfter(db, scope, { changes: [] }, asked)
    const now = new Set(asked.filter((each) => judge(each, found.get(each.id)!).passed).map(({ id }) => id))
    const broken = asked.find(({ id }) => passing.has(id) && !now.has(id))
    if (broken) throw new Error(`“${broken.question}” passed and fails now; served: ${seen}`)
    passing = now
  }

  async function pass() {
    const process = await world.passNext()
    if (!process) return false
    if (process.ended && 'error' in process.ended) throw process.ended.error
    await check()
    return true
  }

  const unfinished = () =>
    sql`select id, status from documents where status in ('pending', 'processing')`.execute(world.db)

  try {
    for (let step = 0; step < 150; step++) {
      const act = random.weighed({ pass: 10, deliver: 2, request: 2 })
      if (act === 'request') await request()
      else if (act === 'deliver') await deliver()
      else await pass()
      world.acknowledge()
    }
    for (let round = 0; round < 20; round++) {
      while ((await pass()) || (await deliver())) world.acknowledge()
      if ((await unfinished()).rows.length === 0) break
      await world.advance(750)
      await world.sweep()
    }
    const stuck = await unfinished()
    if (stuck.rows.length > 0) throw new Error(`documents that never end: ${JSON.stringify(stuck.rows)}`)
    return refused
  } finally {
    await world.close()
  }
}

import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { searchApp } from '../../functions/search/app.ts'
import { changeModels } from '../../infra/embedding-models.ts'
import { type Embedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import { dimensions, normalize } from '../../shared/embedding/vectors.ts'
import { type Fate, reach } from './process.ts'
import { Random } from './random.ts'
import { useHistories } from './seeds.ts'
import { type Tenant, type Universe, World } from './world.ts'

const { first, count, playAll } = useHistories('MODEL', { first: 31_000, count: 2, thorough: 300 })

const models = ['first', 'second'] as const

/** Vectors of one model are similar, those of two models are orthogonal: each model uses its own half of the numbers. */
function vectorOf(model: (typeof models)[number], text: string): Float32Array {
  const noise = createHash('shake256', { outputLength: dimensions / 2 })
    .update(text)
    .digest()
  const from = model === 'first' ? 0 : dimensions / 2
  const vector = new Float32Array(dimensions)
  for (const [i, byte] of noise.entries()) vector[from + i] = 256 + byte
  return normalize(vector)
}

function modelled(model: (typeof models)[number]): Embedder {
  const lost = () => new EmbeddingError('unavailable', 'connection lost')
  return {
    model,
    mayHedge: () => false,
    embed: (texts) => reach('provider', () => Promise.resolve(texts.map((text) => vectorOf(model, text))), lost),
  }
}

const bothModels = (): Embedder => ({ ...modelled('second'), previous: modelled('first') })

test(`random histories (${count}) have no search that compares vectors of two models, and every agent completes its change`, {
  timeout: 10_800_000,
}, async () => {
  const seen = { searches: 0, hits: 0, switches: 0, faults: 0 }
  await playAll((universe, seed) => playHistory(universe, seed, seen))
  console.info(`histories from seed ${first}: ${JSON.stringify(seen)}`)
  expect(seen).toMatchObject({ hits: expect.toSatisfy((hits) => hits > 0), switches: expect.toSatisfy((n) => n > 0) })
})

/** Edits, uploads, searches, changes there and back, workers that die: one point after the other, in an order that the seed decides. */
async function playHistory(
  universe: Universe,
  seed: number,
  seen: Record<'searches' | 'hits' | 'switches' | 'faults', number>,
) {
  const random = new Random(seed)
  const world = new World(universe, random, bothModels)
  await world.open()
  const search = searchApp({ db: world.as('cuecard_search'), embedder: bothModels(), now: () => 0 })
  let isCalm = false
  let served = ''

  const send = (
    tenant: Tenant,
    app: typeof search | typeof world.documents,
    method: string,
    path: string,
    body?: object,
  ) =>
    world.send(
      app,
      tenant.key,
      [method, `/v1/agents/${tenant.agentId}/knowledge-base${path}`, body],
      async (response) => {
        if (response.status >= 500 && response.status !== 503)
          throw new Error(`${method} ${path} answered ${response.status}`)
        if (app !== search || response.status !== 200) return
        const { data } = (await response.json()) as { data: { scores: { semantic: number | null } }[] }
        seen.searches++
        for (const { scores } of data) {
          if (scores.semantic === null) continue
          seen.hits++
          if (scores.semantic < 0.5) throw new Error(`a search compared two models: ${JSON.stringify(data)}`)
        }
      },
    )

  async function request() {
    const tenant = random.pick(world.tenants)
    const { rows } = await sql<{
      id: string
    }>`select id from documents where agent_id = ${tenant.agentId} order by id`.execute(world.db)
    const id = rows.length > 0 ? random.pick(rows).id : undefined
    const content = Array.from(
      { length: 1 + random.below(5) },
      () => `The shop sells ${random.below(9)} of ${random.below(9)}.`,
    ).join(' ')
    const kind = id ? random.weighed({ create: 4, edit: 6, remove: 1, upload: 1, complete: 1, search: 12 }) : 'create'
    if (kind === 'create') send(tenant, world.documents, 'POST', '', { title: `T${random.below(9)}`, content })
    if (kind === 'edit') send(tenant, world.documents, 'PATCH', `/${id}`, { content, title: `T${random.below(9)}` })
    if (kind === 'remove') send(tenant, world.documents, 'DELETE', `/${id}`)
    if (kind === 'complete') send(tenant, world.documents, 'PATCH', `/${id}`, { status: 'completed' })
    if (kind === 'search')
      send(tenant, search, 'POST', '/search', {
        query: content,
        mode: random.pick(['semantic', 'hybrid']),
        limit: 50,
        deadline_ms: 10_000,
      })
    if (kind === 'upload') {
      const { rows: agents } = await sql<{
        model: 'first' | 'second' | null
      }>`select model from agents where id = ${tenant.agentId}`.execute(world.db)
      const { model } = agents[0]!
      // The client names no model, so its vectors must be of the one that serves while they are stored.
      if (!model || world.running.length > 0) return
      const chunks = [{ chunk_index: random.below(1000), content, embedding: [...vectorOf(model, content)] }]
      send(tenant, world.chunks as never, 'POST', `/${id}/chunks`, { chunks })
      while (world.running.length > 0) await pass()
    }
  }

  const deliver = () => world.deliverNext(() => (isCalm ? 1e9 : 1 + random.below(40)))

  /** Checks that search reads only vectors of the serving model now, and that other vectors are the next or former model's. */
  async function check() {
    const { rows } = await sql<{ wrong: object[] | null; served: string }>`
      select (select string_agg(a.id || a.model, ',' order by a.id) from agents a) as served, (
        select json_agg(w) from (
          select c.document_id, c.revision, c.chunk_index, d.active_revision, d.revision as newest, d.managed_by, d.status, a.model,
            a.next_model, a.former_model, v.model as of, o.model as other, c.other_vector_id
          from chunks c
          join agents a on (a.organization_id, a.id) = (c.organization_id, c.agent_id)
          join documents d on (d.organization_id, d.id) = (c.organization_id, c.document_id)
          left join vectors v on (v.organization_id, v.document_id, v.id) = (c.organization_id, c.document_id, c.vector_id)
          left join vectors o on (o.organization_id, o.document_id, o.id) = (c.organization_id, c.document_id, c.other_vector_id)
          where c.revision <= d.active_revision and c.vector_id is not null
              and (v.id is null or c.sketch <> v.sketch or coalesce(v.model, 'first') <> coalesce(a.model, 'first'))
            or c.other_vector_id is not null and (o.id is null or o.model <> coalesce(a.former_model, a.next_model, ''))) w) as wrong`.execute(
      world.db,
    )
    if (rows[0]!.wrong) throw new Error(`chunks have a vector of another model: ${JSON.stringify(rows[0]!.wrong)}`)
    if (served !== '' && served !== rows[0]!.served) seen.switches++
    served = rows[0]!.served ?? ''
  }

  function fateOf(process: string): Fate {
    if (isCalm || !process.startsWith('worker') || !random.chance(0.06)) return 'ok'
    seen.faults++
    return random.pick(['lost_before', 'lost_after', 'die_before', 'die_after'] as const)
  }

  async function pass() {
    const process = await world.passNext(fateOf)
    if (!process) return false
    if (process.ended && 'error' in process.ended) throw process.ended.error
    world.acknowledge()
    await check()
    return true
  }

  const change = (model: string) => changeModels(world.db, model, 'first')

  try {
    for (let step = 0; step < 200; step++) {
      const act = random.weighed({ pass: 30, deliver: 5, request: 4, change: 0.6, sweep: 1 })
      if (act === 'request') await request()
      else if (act === 'deliver') await deliver()
      else if (act === 'change') await change(random.pick(models))
      else if (act === 'sweep') {
        await world.advance(random.pick([10, 100, 700_000]))
        await world.sweep()
      } else await pass()
    }
    isCalm = true
    const open = async () =>
      (
        await sql`select a.id, a.model, a.next_model, a.model_waiting from agents a
          where a.model is not null and (a.model <> 'second' or a.next_model is not null)`.execute(world.db)
      ).rows
    for (let round = 0; round < 30; round++) {
      for (let turn = 0; (await pass()) || (await deliver()); turn++) {
        world.acknowledge()
        if (turn === 5_000) throw new Error('a run never ends')
      }
      await change('second')
      // A client's uploads block the change, and are listed.
      if (round === 15) await sql`delete from documents where managed_by = 'client'`.execute(world.db)
      if (round > 0 && (await open()).length === 0) break
      await world.advance(750)
      await world.sweep()
    }
    const stuck = await open()
    if (stuck.length > 0) throw new Error(`agents that never change: ${JSON.stringify(stuck)}`)
  } finally {
    await world.close()
  }
}

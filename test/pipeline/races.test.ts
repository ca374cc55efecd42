import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { chunk } from '../../functions/embedding/chunking/chunker.ts'
import { claim } from '../../functions/embedding/claim.ts'
import { planRevision } from '../../functions/embedding/revision-plan.ts'
import { completeRevisions, type Part, storePart } from '../../functions/embedding/stored-chunks.ts'
import { sweep } from '../../functions/sweeper/sweep.ts'
import type { Database } from '../../shared/database/database.ts'
import type { Claimant } from '../../shared/documents/attempt.ts'
import { type DocumentId, newId, type OrganizationId } from '../../shared/ids.ts'
import { axis } from '../support/axis.ts'
import { createDocument, expireLease, newDocument, type TestDocument } from '../support/documents.ts'
import { isOnServer, isThorough } from '../support/effort.ts'
import { contentOf, useFakeProvider } from '../support/fake-provider.ts'
import { statements, useFaultyConnection } from '../support/faulty-connection.ts'
import { vectorOf } from '../support/provider-responses.ts'
import { type Tenant, useStand } from '../support/stand.ts'
import { strayRows } from '../support/stray-rows.ts'
import { databaseAs, keptQueue, newWorker, sweeperWith } from '../support/worker.ts'

const provider = useFakeProvider()
const stand = useStand()
const connection = useFaultyConnection()

// Whatever raced, nothing is left behind.
afterEach(async () => expect(await strayRows(stand.db)).toEqual([]))

const get = async (tenant: Tenant, { path }: TestDocument) => (await tenant.call('GET', path)).body
const contents = async (tenant: Tenant, { path }: TestDocument): Promise<string[]> =>
  (await tenant.call('GET', `${path}/chunks?limit=100`)).body.data.map((chunk: { content: string }) =>
    chunk.content.trim(),
  )
const searched = async (tenant: Tenant): Promise<string[]> =>
  (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { embedding: [...vectorOf('q')], limit: 50 })).body.data
    .map((hit: { content: string }) => hit.content.trim())
    .sort()

/** How often two things are let loose on one another whose order is not decided. */
const rounds = isThorough || isOnServer ? 20 : 3

/** Does something while the next call is with the provider. */
function whileEmbedding(act: () => Promise<unknown>) {
  provider.script([
    async () => {
      await act()
      return 'ok' as const
    },
  ])
}

const leasable = ({ id, organizationId }: TestDocument) =>
  ({ organizationId, documentId: id, leaseToken: newId() }) as Claimant
/** All rows of the document's chunks, of whatever revision. */
const chunkRows = async ({ id }: TestDocument) =>
  (await sql<{ revision: number }>`select revision from chunks where document_id = ${id}`.execute(stand.db)).rows
const attempts = async ({ id }: TestDocument) =>
  (await sql`select status, attempt, retry_count from documents where id = ${id}`.execute(stand.db)).rows[0]
/** The worker's statements, in order. */
const { claim: claiming, part, commit } = statements
const ofWorker = { claim: claiming, part, commit }
const twoChunks = ['One is here, where it has always been.', 'Two is there as well as all the others.']
const twoParagraphs = twoChunks.join('\n\n')
/** The texts that were paid for, in order. */
const embedded = () => provider.calls.flatMap((call) => call.texts.map((text) => contentOf(text).trim()))
/** A worker with these limits stores two chunks in two parts. */
const oneByOne = { callLimits: { inputs: 1, tokens: 1000 } }
const someChunks = (from: number, count: number) => ({
  chunks: Array.from({ length: count }, (_, i) => ({
    content: `Uploaded ${from + i}.`,
    chunk_index: from + i,
    embedding: [...vectorOf(`${from + i}`)],
  })),
})

describe('of workers', () => {
  test('two workers with one message pay once', async () => {
    const { tenant, document } = await newDocument(stand, 'One. Two.')
    const results = await Promise.all([1, 2, 3].map(() => newWorker(stand, provider)([document])))
    expect(results).toEqual(Array(3).fill({ batchItemFailures: [] }))
    expect(provider.calls).toHaveLength(1)
    expect((await get(tenant, document)).status).toBe('completed')
  })

  test('a message delivered again while its document is being embedded disturbs nobody', async () => {
    const { tenant, document } = await newDocument(stand, 'One. Two.')
    whileEmbedding(async () => {
      expect(await newWorker(stand, provider)([document, document])).toEqual({ batchItemFailures: [] })
      expect((await get(tenant, document)).status).toBe('processing')
    })
    await newWorker(stand, provider)([document])
    expect(provider.calls).toHaveLength(1)
    expect((await get(tenant, document)).status).toBe('completed')
  })

  test('a redelivery after completed calls nobody and changes nothing', async () => {
    const { tenant, document } = await newDocument(stand, 'One. Two.')
    await newWorker(stand, provider)([document])
    const before = await tenant.call('GET', document.path)
    provider.calls.length = 0
    await newWorker(stand, provider)([document, document])
    expect(await tenant.call('GET', document.path)).toMatchObject({
      body: before.body,
      headers: { etag: before.headers.etag },
    })
    expect(provider.calls).toHaveLength(0)
  })

  test('an old message after a newer PATCH embeds the newest text, once', async () => {
    const { tenant, document } = await newDocument(stand, 'Old.')
    await tenant.call('PATCH', document.path, { content: 'New.' })
    await newWorker(stand, provider)([document])
    await newWorker(stand, provider)([document])
    expect(provider.calls.map((call) => call.texts)).toEqual([['T\n\nNew.']])
    expect(await contents(tenant, document)).toEqual(['New.'])
  })

  test('an old message after a takeover, or after the chunks were deleted, is acknowledged and changes nothing', async () => {
    const tenant = await stand.tenant()
    const taken = await createDocument(tenant, 'A text.')
    await tenant.call('POST', `${taken.path}/chunks`, someChunks(0, 1))
    const stripped = await createDocument(tenant, 'A text.')
    await tenant.call('DELETE', `${stripped.path}/chunks`)
    const before = [await get(tenant, taken), await get(tenant, stripped)]
    expect(await newWorker(stand, provider)([taken, stripped])).toEqual({ batchItemFailures: [] })
    expect([await get(tenant, taken), await get(tenant, stripped)]).toEqual(before)
  })

  test('a message under another organization’s name changes nothing, even where row-level security is off', async () => {
    const [mine, other] = [await stand.tenant(), await stand.tenant()]
    const document = await createDocument(mine, 'A text.')
    const forged = { ...document, organizationId: other.organizationId }
    expect(await newWorker(stand, provider, { db: stand.db })([forged])).toEqual({ batchItemFailures: [] })
    expect((await get(mine, document)).status).toBe('pending')
  })

  test('a zombie that goes on after its lease was taken writes nothing', async () => {
    const { document } = await newDocument(stand, 'One. Two.')
    const rows = async () =>
      (
        await sql`select d.*, d.xmin::text, c.xmin::text as chunk from documents d join chunks c on c.document_id = d.id where d.id = ${document.id}`.execute(
          stand.db,
        )
      ).rows
    let before: unknown
    const zombie = newWorker(stand, provider)
    whileEmbedding(async () => {
      await expireLease(stand.db, document)
      await newWorker(stand, provider)([document])
      before = await rows()
    })
    expect(await zombie([document])).toEqual({ batchItemFailures: [] })
    expect(await rows()).toEqual(before)
  })

  test.each(
    (['unopened', 'before', 'after', 'within'] as const).flatMap((when) =>
      Object.entries(ofWorker).map(([name, statement]) => [when, name, statement] as const),
    ),
  )(
    'a connection cut once, %s %s, costs nothing: the document completes with this delivery',
    async (when, _, statement) => {
      const { tenant, document } = await newDocument(stand, twoParagraphs)
      connection.cut(when, statement)
      expect(await newWorker(stand, provider, oneByOne)([document])).toEqual({ batchItemFailures: [] })
      expect(connection.unmet).toBe(0)
      expect(await get(tenant, document)).toMatchObject({ status: 'completed', chunk_count: 2 })
      expect(provider.calls).toHaveLength(2)
      expect(await contents(tenant, document)).toEqual(twoChunks)
    },
  )

  test.each(['before', 'after', 'within'] as const)(
    'a connection cut again %s a part’s repeat counts no attempt: the next delivery completes, and pays for what was not stored alone',
    async (when) => {
      const { tenant, document } = await newDocument(stand, twoParagraphs)
      const { queue, sent } = keptQueue()
      connection.cut(when, statements.part, 2)
      const work = newWorker(stand, provider, { ...oneByOne, concurrency: 1, queue, random: () => 0 })
      expect(await work([document])).toEqual({ batchItemFailures: [] })
      expect(connection.unmet).toBe(0)
      expect(await attempts(document)).toEqual({ status: 'pending', attempt: 0, retry_count: 0 })
      expect(sent).toMatchObject([{ documentId: document.id }])
      expect(await work([document])).toEqual({ batchItemFailures: [] })
      expect((await get(tenant, document)).status).toBe('completed')
      expect(embedded()).toEqual(when === 'before' ? [twoChunks[0], ...twoChunks] : twoChunks)
    },
  )

  test.each(['before', 'after', 'within'] as const)(
    'a connection cut again %s the commit’s repeat counts no attempt, and costs no call',
    async (when) => {
      const { tenant, document } = await newDocument(stand, twoParagraphs)
      const { queue, sent } = keptQueue()
      connection.cut(when, statements.commit, 2)
      const work = newWorker(stand, provider, { ...oneByOne, queue, random: () => 0 })
      expect(await work([document])).toEqual({ batchItemFailures: [] })
      expect(connection.unmet).toBe(0)
      const isStored = when !== 'before'
      const status = isStored ? 'completed' : 'pending'
      expect(await attempts(document)).toEqual({ status, attempt: 0, retry_count: 0 })
      expect(sent).toHaveLength(isStored ? 0 : 1)
      expect(await work([document])).toEqual({ batchItemFailures: [] })
      expect((await get(tenant, document)).status).toBe('completed')
      expect(provider.calls).toHaveLength(2)
    },
  )

  test('a small document’s only call is stored with the commit: if that never arrives, the call is paid again', async () => {
    const { tenant, document } = await newDocument(stand, twoParagraphs)
    const { queue } = keptQueue()
    connection.cut('before', statements.commit, 2)
    const work = newWorker(stand, provider, { queue, random: () => 0 })
    await work([document])
    expect(await attempts(document)).toEqual({ status: 'pending', attempt: 0, retry_count: 0 })
    await work([document])
    expect((await get(tenant, document)).status).toBe('completed')
    expect(provider.calls).toHaveLength(2)
    expect(embedded()).toEqual([...twoChunks, ...twoChunks])
  })

  test.each(['before', 'after'] as const)(
    'while the database stays away from %s the commit on, the lease runs out and the redelivery ends it without a call',
    async (when) => {
      const { tenant, document } = await newDocument(stand, twoParagraphs)
      connection.lose(when, statements.commit)
      const result = await newWorker(stand, provider, oneByOne)([document])
      expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: document.id }] })
      await expireLease(stand.db, document)
      provider.calls.length = 0
      expect(await newWorker(stand, provider)([document])).toEqual({ batchItemFailures: [] })
      expect((await get(tenant, document)).status).toBe('completed')
      expect(provider.calls).toHaveLength(0)
      expect(await chunkRows(document)).toHaveLength(2)
    },
  )

  test.each(['unopened', 'before', 'after', 'within'] as const)(
    'a connection cut once, %s requeueing a document: one message carries it on, and one retry is counted',
    async (when) => {
      const { document } = await newDocument(stand, 'One. Two.')
      const { queue, sent } = keptQueue()
      provider.script(['too_many_requests'])
      connection.cut(when, statements.requeue)
      expect(await newWorker(stand, provider, { queue })([document])).toEqual({ batchItemFailures: [] })
      expect(connection.unmet).toBe(0)
      expect(await attempts(document)).toEqual({ status: 'pending', attempt: 0, retry_count: 1 })
      expect(sent).toMatchObject([{ documentId: document.id }])
    },
  )

  test.each(['unopened', 'before', 'after', 'within'] as const)(
    'a connection cut once, %s ending a document in error: its message is done',
    async (when) => {
      const { document } = await newDocument(stand, 'One. Two.')
      provider.script(['rejected'])
      connection.cut(when, statements.fail)
      expect(await newWorker(stand, provider)([document])).toEqual({ batchItemFailures: [] })
      expect(connection.unmet).toBe(0)
      expect(await attempts(document)).toMatchObject({ status: 'error', attempt: 1 })
    },
  )

  test('a claim is repeated under its own token alone, and counts once', async () => {
    const { tenant, document } = await newDocument(stand, 'One. Two.')
    const db = databaseAs('cuecard_embedding').forOrganization(tenant.organizationId as OrganizationId)
    const subject = leasable(document)
    const [first] = await claim(db, [subject])
    expect(first).toMatchObject({ attempt: 1 })
    expect(await claim(db, [leasable(document)])).toEqual([undefined])
    expect(await claim(db, [subject])).toEqual([{ ...first, pendingMilliseconds: expect.any(Number) }])
    await tenant.call('PATCH', document.path, { content: 'Three.' })
    expect(await claim(db, [leasable(document)])).toMatchObject([{ revision: 2 }])
    expect(await claim(db, [subject])).toEqual([undefined])
  })
})

describe('completing', () => {
  test('needs every chunk of the text, each with its vector', async () => {
    const { tenant, document } = await newDocument(stand, twoParagraphs)
    const db = databaseAs('cuecard_embedding').forOrganization(tenant.organizationId as OrganizationId)
    const held = (await claim(db, [leasable(document)]))[0]!
    const chunks = chunk(held.content, { targetTokens: 12, overlapTokens: 0 })
    const plan = planRevision(held, chunks, 'fake')
    expect(plan.missing).toHaveLength(2)
    const [first, second] = plan.missing.map((text) => ({ ...text, vector: vectorOf(text.vectorId) }))
    expect(await storePart(db, { claim: held, plan, embedded: [first!] })).toBe(true)
    expect(await completeRevisions(db, [{ claim: held, plan }])).toEqual([false])
    expect((await get(tenant, document)).status).toBe('processing')
    expect(await completeRevisions(db, [{ claim: held, plan, embedded: [second!] }])).toEqual([true])
  })
})

test.each([
  ['a part', (db: Database, part: Part) => storePart(db, part)],
  ['the last part', async (db: Database, part: Part) => (await completeRevisions(db, [part]))[0]],
])('storing %s after the lease was lost deletes no vector', async (_, store) => {
  const { tenant, document } = await newDocument(stand, 'A text.')
  const db = databaseAs('cuecard_embedding').forOrganization(tenant.organizationId as OrganizationId)
  const lost = (await claim(db, [leasable(document)]))[0]!
  await expireLease(stand.db, document)
  expect(await claim(db, [leasable(document)])).toMatchObject([{ revision: 1 }])
  await sql`insert into vectors select ${document.organizationId}, ${document.id}, gen_random_uuid(), 0,
    array_fill(1, array[1536])::halfvec(1536), repeat('1', 1536)::bit(1536)`.execute(stand.db)
  const stale = [{ revision: 1, chunk_index: 0, vector_id: null }]
  const plan = planRevision(lost, chunk('A text.', { targetTokens: 12, overlapTokens: 0 }), 'fake')
  expect(await store(db, { claim: { ...lost, stored: stale }, plan, stale })).toBe(false)
  const { rows } = await sql`select from vectors where document_id = ${document.id}`.execute(stand.db)
  expect(rows).toHaveLength(1)
  await tenant.call('DELETE', document.path)
})

describe('of a worker with requests', () => {
  test('a PATCH while embedding voids what is in flight: its text is never served', async () => {
    const { tenant, document } = await newDocument(stand, 'Old.')
    whileEmbedding(() => tenant.call('PATCH', document.path, { content: 'New.' }))
    await newWorker(stand, provider)([document])
    expect(await get(tenant, document)).toMatchObject({ status: 'pending', chunk_count: 0 })
    expect(await searched(tenant)).toEqual([])
    await newWorker(stand, provider)([document])
    expect(await searched(tenant)).toEqual(['New.'])
    expect(await chunkRows(document)).toEqual([{ revision: 2 }])
  })

  test.each([
    ['storing a part', statements.part],
    ['the commit', statements.commit],
  ])('a takeover just before %s is not joined, completed or undone by it', async (_, statement) => {
    const { tenant, document } = await newDocument(stand, twoParagraphs)
    connection.before(statement, async () => {
      expect((await tenant.call('POST', `${document.path}/chunks`, someChunks(5, 1))).status).toBe(201)
    })
    expect(await newWorker(stand, provider, oneByOne)([document])).toEqual({ batchItemFailures: [] })
    expect(await get(tenant, document)).toMatchObject({ status: 'pending', chunk_count: 1 })
    expect(await contents(tenant, document)).toEqual(['Uploaded 5.'])
    await tenant.call('PATCH', document.path, { status: 'completed' })
    expect(await searched(tenant)).toEqual(['Uploaded 5.'])
  })

  test.each([
    ['storing a part', statements.part],
    ['the commit', statements.commit],
  ])('a PATCH just before %s leaves the document pending with the new text', async (_, statement) => {
    const { tenant, document } = await newDocument(stand, twoParagraphs)
    connection.before(statement, () => tenant.call('PATCH', document.path, { content: 'New.' }))
    await newWorker(stand, provider, oneByOne)([document])
    expect(await get(tenant, document)).toMatchObject({ status: 'pending', content: 'New.' })
    expect(await searched(tenant)).toEqual([])
    await newWorker(stand, provider)([document])
    expect(await searched(tenant)).toEqual(['New.'])
  })

  test.each(['rejected', 'too_many_requests'] as const)(
    'a PATCH while the provider answers the old text with %s is untouched by that',
    async (way) => {
      const { tenant, document } = await newDocument(stand, 'Old.')
      provider.script([
        async () => {
          await tenant.call('PATCH', document.path, { content: 'New.' })
          return way
        },
      ])
      await newWorker(stand, provider)([document])
      const { rows } =
        await sql`select status, retry_count, next_attempt_at from documents where id = ${document.id}`.execute(
          stand.db,
        )
      expect(rows).toEqual([{ status: 'pending', retry_count: 0, next_attempt_at: null }])
    },
  )

  test('A → B → A while embedding ends with A, served without a gap', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    await newWorker(stand, provider)([document])
    await tenant.call('PATCH', document.path, { content: 'B text.' })
    whileEmbedding(async () => {
      await tenant.call('PATCH', document.path, { content: 'A text.' })
      expect(await searched(tenant)).toEqual(['A text.'])
    })
    await newWorker(stand, provider)([document])
    expect(await get(tenant, document)).toMatchObject({ status: 'pending', content: 'A text.' })
    expect(await searched(tenant)).toEqual(['A text.'])
    await newWorker(stand, provider)([document])
    expect(await get(tenant, document)).toMatchObject({ status: 'completed', content: 'A text.' })
    expect(await contents(tenant, document)).toEqual(['A text.'])
    expect(await chunkRows(document)).toHaveLength(1)
  })

  test('a retry while embedding is refused, and the attempt under way completes', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    whileEmbedding(async () => {
      const { status, body } = await tenant.call('PATCH', document.path, { status: 'pending' })
      expect([status, body.code]).toEqual([409, 'processing_in_progress'])
    })
    await newWorker(stand, provider)([document])
    expect((await get(tenant, document)).status).toBe('completed')
  })

  test('a DELETE while embedding leaves nothing behind', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    whileEmbedding(async () => expect((await tenant.call('DELETE', document.path)).status).toBe(204))
    expect(await newWorker(stand, provider)([document])).toEqual({ batchItemFailures: [] })
    expect((await tenant.call('GET', document.path)).status).toBe(404)
    expect(await chunkRows(document)).toEqual([])
    expect(await searched(tenant)).toEqual([])
  })

  test('a takeover by a chunk upload while embedding leaves the client’s chunks alone', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    whileEmbedding(async () =>
      expect((await tenant.call('POST', `${document.path}/chunks`, someChunks(0, 1))).status).toBe(201),
    )
    await newWorker(stand, provider)([document])
    expect(await get(tenant, document)).toMatchObject({ status: 'pending', chunk_count: 1 })
    expect(await searched(tenant)).toEqual([])
    await tenant.call('PATCH', document.path, { status: 'completed' })
    expect(await searched(tenant)).toEqual(['Uploaded 0.'])
    expect(await chunkRows(document)).toHaveLength(1)
  })

  test('a DELETE of the chunks while embedding hands the document to the client', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    await newWorker(stand, provider)([document])
    await tenant.call('PATCH', document.path, { content: 'B text.' })
    whileEmbedding(() => tenant.call('DELETE', `${document.path}/chunks`))
    await newWorker(stand, provider)([document])
    expect(await get(tenant, document)).toMatchObject({ status: 'pending', chunk_count: 0 })
    expect(await chunkRows(document)).toEqual([])
  })

  test('a takeover just before the commit of chunks that only changed places is not joined by them', async () => {
    const [one, two] = twoChunks
    const { tenant, document } = await newDocument(stand, [one, two, 'The end.'].join('\n\n'))
    await newWorker(stand, provider)([document])
    await tenant.call('PATCH', document.path, { content: [two, one, 'The end.'].join('\n\n') })
    connection.before(statements.commit, () => tenant.call('POST', `${document.path}/chunks`, someChunks(5, 1)))
    await newWorker(stand, provider)([document])
    expect(provider.calls).toHaveLength(1)
    expect(await contents(tenant, document)).toEqual(['Uploaded 5.'])
  })

  test.skipIf(!isOnServer).each([
    ['a part', storePart],
    ['the last part', (db: Database, part: Part) => completeRevisions(db, [part])],
  ])('a takeover while %s is being stored waits for it, and is not joined by it', async (_, store) => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    const scope = { organizationId: tenant.organizationId as OrganizationId, documentId: document.id as DocumentId }
    const db = databaseAs('cuecard_embedding').forOrganization(scope.organizationId)
    const held = (await claim(db, [leasable(document)]))[0]!
    const plan = planRevision(held, chunk('A text.', { targetTokens: 12, overlapTokens: 0 }), 'fake')
    const embedded = plan.missing.map((missing) => ({ ...missing, vector: vectorOf('A text.') }))
    // The same vector, not yet committed: who stores it waits.
    const other = await stand.pool.connect()
    const waiting = async () =>
      (
        await sql<{ n: number }>`select count(*)::int as n from pg_locks where not granted
        and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(stand.db)
      ).rows[0]!.n
    try {
      await other.query('begin')
      // Its foreign key would hold the document's row.
      await other.query('set local session_replication_role = replica')
      await other.query(
        `insert into vectors values ($1, $2, $3, 0, array_fill(1, array[1536])::halfvec(1536), repeat('1', 1536)::bit(1536))`,
        [scope.organizationId, scope.documentId, plan.vectorIds[0]],
      )
      const stored = store(db, { claim: held, plan, embedded })
      await expect.poll(waiting).toBe(1)
      let isOver = false
      const takenOver = (async () => {
        await tenant.call('POST', `${document.path}/chunks`, someChunks(5, 1))
        await tenant.call('PATCH', document.path, { status: 'completed' })
        isOver = true
      })()
      await expect.poll(async () => isOver || (await waiting()) === 2).toBe(true)
      await other.query('rollback')
      await Promise.all([stored, takenOver])
    } finally {
      other.release()
    }
    expect(await searched(tenant)).toEqual(['Uploaded 5.'])
    expect(await chunkRows(document)).toHaveLength(1)
  })

  test('a takeover in the middle of storing chunks is not joined by them', async () => {
    const { tenant, document } = await newDocument(stand, twoParagraphs)
    connection.cut('after', statements.part, 2)
    await newWorker(stand, provider, oneByOne)([document])
    expect(connection.unmet).toBe(0)
    await tenant.call('POST', `${document.path}/chunks`, someChunks(0, 1))
    await tenant.call('PATCH', document.path, { status: 'completed' })
    expect(await searched(tenant)).toEqual(['Uploaded 0.'])
    expect(await contents(tenant, document)).toEqual(['Uploaded 0.'])
  })
})

describe('of workers and sweepers', () => {
  test('a sweeper at the instant of the commit: the document completes, once', async () => {
    const tenant = await stand.tenant()
    for (let round = 0; round < rounds; round++) {
      const document = await createDocument(tenant, `Text ${round}.`)
      whileEmbedding(() => expireLease(stand.db, document))
      const { queue, sent } = keptQueue()
      await Promise.all([newWorker(stand, provider)([document]), sweep(sweeperWith(queue)), sweep(sweeperWith(queue))])
      const { status } = await get(tenant, document)
      const mine = sent.filter((each) => each.documentId === document.id)
      if (status === 'pending') expect(mine).toHaveLength(1)
      else expect(status).toBe('completed')
      provider.calls.length = 0
      await newWorker(stand, provider)([document])
      expect((await get(tenant, document)).status).toBe('completed')
      expect(await chunkRows(document)).toHaveLength(1)
    }
  })

  test('two sweepers at once send a lost document once', async () => {
    const tenant = await stand.tenant()
    const documents = await Promise.all(Array.from({ length: 12 }, (_, i) => createDocument(tenant, `Text ${i}.`)))
    await sql`update documents set resend_at = resend_at - interval '1 hour', pending_since = pending_since - interval '1 hour'
      where organization_id = ${tenant.organizationId}`.execute(stand.db)
    const { queue, sent } = keptQueue()
    await Promise.all([1, 2, 3].map(() => sweep(sweeperWith(queue))))
    const ids = new Set(documents.map(({ id }) => id))
    expect(
      sent
        .map((each) => each.documentId)
        .filter((id) => ids.has(id))
        .sort(),
    ).toEqual([...ids].sort())
  })

  test('redriven dead letters in live traffic change nothing that has ended, and complete what has not', async () => {
    const tenant = await stand.tenant()
    const ended = await createDocument(tenant, 'Ended.')
    await newWorker(stand, provider)([ended])
    const before = await get(tenant, ended)
    const gone = await createDocument(tenant, 'Gone.')
    await tenant.call('DELETE', gone.path)
    const open = await Promise.all(Array.from({ length: 6 }, (_, i) => createDocument(tenant, `Open ${i}.`)))
    const letters = [ended, gone, ...open]
    await Promise.all([
      newWorker(stand, provider)(letters),
      newWorker(stand, provider)(letters.toReversed()),
      ...open.map((document) => tenant.call('PATCH', document.path, { title: 'In the meantime' })),
    ])
    expect(await get(tenant, ended)).toEqual(before)
    for (const document of open) expect((await get(tenant, document)).status).toBe('completed')
    expect(
      provider.calls.flatMap((call) => call.texts).filter((text) => contentOf(text).startsWith('Open')),
    ).toHaveLength(6)
  })
})

describe('of requests', () => {
  test('a chunk upload against a PATCH to completed: either order, and what is completed is served', async () => {
    const tenant = await stand.tenant()
    for (let round = 0; round < rounds; round++) {
      const document = await createDocument(tenant)
      await tenant.call('POST', `${document.path}/chunks`, someChunks(0, 1))
      const [upload, patch] = await Promise.all([
        tenant.call('POST', `${document.path}/chunks`, someChunks(1, 1)),
        tenant.call('PATCH', document.path, { status: 'completed' }),
      ])
      expect([upload.status, patch.status]).toEqual([201, 200])
      expect(await searched(tenant)).toEqual(['Uploaded 0.', 'Uploaded 1.'])
      await tenant.call('DELETE', document.path)
    }
  })

  test('ten chunk batches of one document in parallel: all are stored and counted', async () => {
    const { tenant, document } = await newDocument(stand, 'A text of the service.')
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => tenant.call('POST', `${document.path}/chunks`, someChunks(10 * i, 10))),
    )
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(201))
    expect(answers.map((answer) => answer.body.chunk_count).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, i) => 10 * (i + 1)),
    )
    expect(await get(tenant, document)).toMatchObject({ chunk_count: 100, status: 'pending' })
    expect(await contents(tenant, document)).toHaveLength(100)
  })

  test('ten batches with one index among them: it is stored once, the others are refused whole', async () => {
    const { tenant, document } = await newDocument(stand)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        tenant.call('POST', `${document.path}/chunks`, {
          chunks: [...someChunks(0, 1).chunks, ...someChunks(10 * (i + 1), 1).chunks],
        }),
      ),
    )
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
    expect(answers.filter((answer) => answer.body.code === 'chunk_index_conflict')).toHaveLength(9)
    expect((await get(tenant, document)).chunk_count).toBe(2)
  })

  test('two PATCHes with one If-Match: one is made', async () => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    const { headers } = await tenant.call('GET', document.path)
    const patch = (title: string) => tenant.call('PATCH', document.path, { title }, { 'if-match': headers.etag! })
    const answers = await Promise.all([patch('first'), patch('second')])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412])
    const winner = answers.find((answer) => answer.status === 200)!
    expect((await get(tenant, document)).title).toBe(winner.body.title)
  })

  test('a PATCH decided just before another request changes the document is decided anew', async () => {
    const { tenant, document } = await newDocument(stand)
    const patch = (body: object) => tenant.call('PATCH', document.path, body)
    await tenant.call('POST', `${document.path}/chunks`, someChunks(0, 1))
    connection.before(statements.updateDocument, () => tenant.call('DELETE', `${document.path}/chunks`))
    expect(await patch({ status: 'completed' })).toMatchObject({ status: 409, body: { code: 'no_chunks' } })
    connection.before(statements.updateDocument, () => patch({ content: 'Theirs.' }))
    expect(await patch({ content: 'Mine.' })).toMatchObject({ status: 200, body: { content: 'Mine.' } })
    connection.before(statements.updateDocument, () => newWorker(stand, provider)([document]))
    expect(await patch({ title: 'Mine' })).toMatchObject({ status: 200, body: { title: 'Mine', status: 'completed' } })
    expect(await contents(tenant, document)).toEqual(['Mine.'])
  })

  test('the same Idempotency-Key twenty times in parallel makes one document and one answer', async () => {
    const tenant = await stand.tenant()
    const body = { title: 'Once', content: 'Only once.' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => tenant.call('POST', tenant.knowledgeBase, body, { 'idempotency-key': 'k' })),
    )
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(201))
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body)))).toHaveLength(1)
    expect(answers.filter((answer) => answer.headers['idempotency-replayed'] !== 'true')).toHaveLength(1)
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toHaveLength(1)
  })

  test('a key revoked in mid-request: the request is made whole or not at all', async () => {
    const tenant = await stand.tenant()
    const [answer] = await Promise.all([
      tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'Text.' }),
      sql`update api_keys set revoked_at = now() where organization_id = ${tenant.organizationId}`.execute(stand.db),
    ])
    const { rows } = await sql<{
      id: string
    }>`select id from documents where organization_id = ${tenant.organizationId}`.execute(stand.db)
    expect(rows.map((row) => row.id)).toEqual(answer.status === 201 ? [answer.body.id] : [])
    expect([201, 401]).toContain(answer.status)
  })

  test.each(['before', 'after'] as const)(
    'a connection cut %s a create: 503, and its repeat makes one document',
    async (when) => {
      const tenant = await stand.tenant()
      const make = () =>
        tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'Text.' }, { 'idempotency-key': 'k' })
      connection.cut(when, statements.createDocument)
      expect(await make()).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } })
      expect(await make()).toMatchObject({ status: 201 })
      expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toHaveLength(1)
    },
  )

  test.each(['before', 'after', 'within'] as const)(
    'a write without a key whose connection is cut %s it is a 503 and is not repeated',
    async (when) => {
      const tenant = await stand.tenant()
      connection.cut(when, statements.createDocument)
      const made = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'Text.' })
      expect(made).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } })
      const { data } = (await tenant.call('GET', tenant.knowledgeBase)).body
      expect(data).toHaveLength(when === 'before' ? 0 : 1)
    },
  )

  test.each(['unopened', 'before', 'after', 'within'] as const)(
    'a search whose connection is cut, %s its statement, is sent once more',
    async (when) => {
      const tenant = await stand.tenant()
      const search = () => tenant.call('POST', `${tenant.knowledgeBase}/search`, { embedding: axis(1) })
      connection.cut(when, statements.search)
      expect((await search()).status).toBe(200)
      connection.cut(when, statements.search, 2)
      expect((await search()).status).toBe(503)
    },
  )

  test('a write whose connection is not even opened is sent once more', async () => {
    const tenant = await stand.tenant()
    const make = () => tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'Text.' })
    connection.cut('unopened', statements.createDocument)
    expect((await make()).status).toBe(201)
    connection.cut('unopened', statements.createDocument, 2)
    expect((await make()).status).toBe(503)
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toHaveLength(1)
  })
})

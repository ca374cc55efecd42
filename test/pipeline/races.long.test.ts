import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { claimRevisions } from '../../functions/embedding/claim.ts'
import { planRevision } from '../../functions/embedding/revision-plan.ts'
import { completeRevisions, type Part, storePart } from '../../functions/embedding/stored-chunks.ts'
import { chunk } from '../../shared/chunking/chunker.ts'
import type { Database } from '../../shared/database/database.ts'
import type { Claimant } from '../../shared/documents/processing/attempt.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { permitOf } from '../../shared/knowledge/commit.ts'
import { statements } from '../support/database/faulty-connection.ts'
import { createDocument, expireLease, newDocument, type TestDocument } from '../support/documents/documents.ts'
import { contentOf } from '../support/provider/fake-provider.ts'
import { vectorOf } from '../support/provider/provider-responses.ts'
import type { Tenant } from '../support/stand/stand.ts'
import { databaseAs, keptQueue } from '../support/stand/worker.ts'
import { isOnServer } from '../support/tools/effort.ts'
import { cuts, cutsWhileOpen, trimmed, upload, useRaces } from './races.ts'

const { provider, stand, connection, rowsOf, contents, work } = useRaces()

const get = async (tenant: Tenant, { path }: TestDocument) => (await tenant.call('GET', path)).body
const searched = async (tenant: Tenant) => {
  const everything = { embedding: [...vectorOf('q')], limit: 50 }
  return trimmed((await tenant.call('POST', `${tenant.knowledgeBase}/search`, everything)).body.data).sort()
}
const done = { batchItemFailures: [] }

/** Acts during the next call to the provider. */
function whileEmbedding(act: () => Promise<unknown>) {
  provider.script([() => act().then(() => 'ok' as const)])
}

const leasable = ({ id, organizationId }: TestDocument) =>
  ({ organizationId, documentId: id, leaseToken: newId() }) as Claimant
/** All rows of the document's chunks, of any revision. */
const chunkRows = ({ id }: TestDocument) =>
  rowsOf(sql<{ revision: number }>`select revision from chunks where document_id = ${id}`)
const attempts = async ({ id }: TestDocument) =>
  (await rowsOf(sql`select status, attempt, retry_count from documents where id = ${id}`))[0]
const twoChunks = ['One is here, where it has always been.', 'Two is there as well as all the others.']
const twoParagraphs = twoChunks.join('\n\n')
/** The texts that were paid for, in order. */
const embedded = () => provider.calls.flatMap((call) => call.texts.map((text) => contentOf(text).trim()))
/** A worker with these limits stores two chunks in two parts. */
const oneByOne = { callLimits: { inputs: 1, tokens: 1000 } }

/** A lease of the document, like that of a worker that has stopped. */
async function hold(document: TestDocument) {
  const db = databaseAs('cuecard_embedding').forOrganization(document.organizationId as OrganizationId)
  const held = (await claimRevisions(db, [leasable(document)]))[0]!
  const plan = planRevision(held, chunk(held.content, { targetTokens: 12, overlapTokens: 0 }), 'lexical-2')
  return { db, held, plan }
}

describe('among workers,', () => {
  test('a message under another organization’s name changes nothing, even where row-level security is off', async () => {
    const [mine, other] = [await stand.tenant(), await stand.tenant()]
    const document = await createDocument(mine, 'A text.')
    const forged = { ...document, organizationId: other.organizationId }
    expect(await work([forged], { db: stand.db })).toEqual(done)
    expect((await get(mine, document)).status).toBe('pending')
  })

  const { claim: claiming, part, commit } = statements
  test.each(
    cuts.flatMap((when) => Object.entries({ claim: claiming, part, commit }).map((each) => [when, ...each] as const)),
  )('a connection cut once, %s the %s, costs nothing: it completes with this delivery', async (when, _, statement) => {
    const { tenant, document } = await newDocument(stand, twoParagraphs)
    connection.cut(when, statement)
    expect(await work([document], oneByOne)).toEqual(done)
    expect(connection.unmet).toBe(0)
    expect(await get(tenant, document)).toMatchObject({ status: 'completed', chunk_count: 2 })
    expect(provider.calls).toHaveLength(2)
    expect(await contents(tenant, document)).toEqual(twoChunks)
  })

  // No attempt is counted, and the next delivery completes: it embeds only texts without a stored vector.
  test.each(cutsWhileOpen.flatMap((when) => (['part', 'commit'] as const).map((name) => [when, name] as const)))(
    'a connection cut again, %s the repeat of a %s, costs one delivery',
    async (when, name) => {
      const { tenant, document } = await newDocument(stand, twoParagraphs)
      const { queue, sent } = keptQueue()
      connection.cut(when, statements[name], 2)
      const options = { ...oneByOne, concurrency: 1, queue, random: () => 0 }
      expect(await work([document], options)).toEqual(done)
      expect(connection.unmet).toBe(0)
      const isStored = name === 'commit' && when !== 'before'
      const status = isStored ? 'completed' : 'pending'
      expect(await attempts(document)).toEqual({ status, attempt: 0, retry_count: 0 })
      expect(sent).toMatchObject(isStored ? [] : [{ id: document.id }])
      expect(await work([document], options)).toEqual(done)
      expect((await get(tenant, document)).status).toBe('completed')
      expect(embedded()).toEqual(name === 'part' && when === 'before' ? [twoChunks[0], ...twoChunks] : twoChunks)
    },
  )

  test('a small document’s only call is stored with the commit: if that never arrives, it is paid again', async () => {
    const { tenant, document } = await newDocument(stand, twoParagraphs)
    connection.cut('before', statements.commit, 2)
    const options = { queue: keptQueue().queue, random: () => 0 }
    await work([document], options)
    expect(await attempts(document)).toEqual({ status: 'pending', attempt: 0, retry_count: 0 })
    await work([document], options)
    expect((await get(tenant, document)).status).toBe('completed')
    expect(provider.calls).toHaveLength(2)
    expect(embedded()).toEqual([...twoChunks, ...twoChunks])
  })

  // The lease expires, and the redelivery ends it without a call.
  test.each(['before', 'after'] as const)(
    'a document completes without a call after the database was away from %s the commit on',
    async (when) => {
      const { tenant, document } = await newDocument(stand, twoParagraphs)
      connection.lose(when, statements.commit)
      expect(await work([document], oneByOne)).toEqual({ batchItemFailures: [{ itemIdentifier: document.id }] })
      await expireLease(stand.db, document)
      provider.calls.length = 0
      expect(await work([document])).toEqual(done)
      expect((await get(tenant, document)).status).toBe('completed')
      expect(provider.calls).toHaveLength(0)
      expect(await chunkRows(document)).toHaveLength(2)
    },
  )

  // A requeued document has one message and one counted retry. The message of a document in error is done.
  const requeued = { status: 'pending', attempt: 0, retry_count: 1 }
  const ends = [
    ['requeue', 'too_many_requests', requeued, 1],
    ['fail', 'rejected', { status: 'error', attempt: 1, retry_count: 0 }, 0],
  ] as const
  test.each(cuts.flatMap((when) => ends.map((end) => [when, ...end] as const)))(
    'a connection cut once, %s the statement to %s: nothing is counted twice',
    async (when, name, way, row, messages) => {
      const { document } = await newDocument(stand, 'One. Two.')
      const { queue, sent } = keptQueue()
      provider.script([way])
      connection.cut(when, statements[name])
      expect(await work([document], { queue })).toEqual(done)
      expect(connection.unmet).toBe(0)
      expect(await attempts(document)).toEqual(row)
      expect(sent).toMatchObject(Array(messages).fill({ id: document.id }))
    },
  )

  test('a claim is repeated only under its own token, and counts once', async () => {
    const { tenant, document } = await newDocument(stand, 'One. Two.')
    const db = databaseAs('cuecard_embedding').forOrganization(tenant.organizationId as OrganizationId)
    const subject = leasable(document)
    const [first] = await claimRevisions(db, [subject])
    expect(first).toMatchObject({ attempt: 1 })
    expect(await claimRevisions(db, [leasable(document)])).toEqual([undefined])
    expect(await claimRevisions(db, [subject])).toEqual([{ ...first, pendingMilliseconds: expect.any(Number) }])
    await tenant.call('PATCH', document.path, { content: 'Three.' })
    expect(await claimRevisions(db, [leasable(document)])).toMatchObject([{ revision: 2 }])
    expect(await claimRevisions(db, [subject])).toEqual([undefined])
  })
})

test('completing needs every chunk of the text, each with its vector', async () => {
  const { tenant, document } = await newDocument(stand, twoParagraphs)
  const { db, held, plan } = await hold(document)
  expect(plan.missing).toHaveLength(2)
  const [first, second] = plan.missing.map((text) => ({ ...text, vector: vectorOf(text.vectorId) }))
  expect(await storePart(db, { claim: held, plan, embedded: [first!] })).toBe(true)
  expect(await completeRevisions(db, [{ claim: held, plan, permit: permitOf(held) }])).toEqual(['lease_lost'])
  expect((await get(tenant, document)).status).toBe('processing')
  expect(await completeRevisions(db, [{ claim: held, plan, embedded: [second!], permit: permitOf(held) }])).toEqual([
    'served',
  ])
})

test.each([
  ['a part', (db: Database, part: Part) => storePart(db, part)],
  [
    'the last part',
    async (db: Database, part: Part) =>
      (await completeRevisions(db, [{ ...part, permit: permitOf(part.claim) }]))[0] === 'served',
  ],
])('storing %s after the lease was lost deletes no vector', async (_, store) => {
  const { tenant, document } = await newDocument(stand, 'A text.')
  const { db, held: lost, plan } = await hold(document)
  await expireLease(stand.db, document)
  expect(await claimRevisions(db, [leasable(document)])).toMatchObject([{ revision: 1 }])
  await sql`insert into vectors (organization_id, document_id, id, exponent, embedding, sketch) select ${document.organizationId}, ${document.id}, gen_random_uuid(), 0,
    array_fill(1, array[1536])::halfvec(1536), decode(repeat('ff', 192), 'hex')`.execute(stand.db)
  const stale = [{ revision: 1, chunk_index: 0, vector_id: null }]
  expect(await store(db, { claim: { ...lost, stored: stale }, plan, stale })).toBe(false)
  expect(await rowsOf(sql`select from vectors where document_id = ${document.id}`)).toHaveLength(1)
  await tenant.call('DELETE', document.path)
})

describe('between a worker and requests,', () => {
  const beforeStatement = (statement: RegExp) => (act: () => Promise<unknown>) => connection.before(statement, act)
  const moments = [
    ['while embedding', whileEmbedding, {}],
    ['just before a part is stored', beforeStatement(statements.part), oneByOne],
    ['just before the commit', beforeStatement(statements.commit), oneByOne],
  ] as const

  test.each(moments)(
    'a DELETE into the trash %s leaves nothing served, and restored it is processed',
    async (_, at, options) => {
      const { tenant, document } = await newDocument(stand, twoParagraphs)
      at(async () => expect((await tenant.call('DELETE', `${document.path}?trash=true`)).status).toBe(204))
      expect(await work([document], options)).toEqual(done)
      expect(await searched(tenant)).toEqual([])
      expect((await tenant.call('POST', `${document.path}/restore`)).body.status).toBe('pending')
      await work([document])
      expect(await searched(tenant)).toEqual(twoChunks.toSorted())
    },
  )

  test.each(['rejected', 'too_many_requests'] as const)(
    'a PATCH is not affected when the old text is %s',
    async (way) => {
      const { tenant, document } = await newDocument(stand, 'Old.')
      provider.script([() => tenant.call('PATCH', document.path, { content: 'New.' }).then(() => way)])
      await work([document])
      const found = sql`select status, retry_count, next_attempt_at from documents where id = ${document.id}`
      expect(await rowsOf(found)).toEqual([{ status: 'pending', retry_count: 0, next_attempt_at: null }])
    },
  )

  test('chunks that only changed places do not join a takeover just before their commit', async () => {
    const [one, two] = twoChunks
    const { tenant, document } = await newDocument(stand, [one, two, 'The end.'].join('\n\n'))
    await work([document])
    await tenant.call('PATCH', document.path, { content: [two, one, 'The end.'].join('\n\n') })
    connection.before(statements.commit, () => tenant.call('POST', `${document.path}/chunks`, upload(5)))
    await work([document])
    expect(provider.calls).toHaveLength(1)
    expect(await contents(tenant, document)).toEqual(['Uploaded 5.'])
  })

  test.skipIf(!isOnServer).each([
    ['a part', storePart],
    ['the last part', (db: Database, part: Part) => completeRevisions(db, [{ ...part, permit: permitOf(part.claim) }])],
  ])('a takeover while %s is being stored waits for it, and is not joined by it', async (_, store) => {
    const { tenant, document } = await newDocument(stand, 'A text.')
    const { db, held, plan } = await hold(document)
    const embedded = plan.missing.map((missing) => ({ ...missing, vector: vectorOf('A text.') }))
    // An uncommitted row with the same vector makes the statement that stores it wait.
    const other = await stand.pool.connect()
    const ofAll = sql`select from pg_locks where not granted
      and pid in (select pid from pg_stat_activity where datname = current_database())`
    const waiting = async () => (await rowsOf(ofAll)).length
    try {
      await other.query('begin')
      // Its foreign key would hold the document's row.
      await other.query('set local session_replication_role = replica')
      await other.query(
        `insert into vectors (organization_id, document_id, id, exponent, embedding, sketch)
          values ($1, $2, $3, 0, array_fill(1, array[1536])::halfvec(1536), decode(repeat('ff', 192), 'hex'))`,
        [document.organizationId, document.id, plan.vectorIds[0]],
      )
      const stored = store(db, { claim: held, plan, embedded })
      await expect.poll(waiting).toBe(1)
      let isOver = false
      const takenOver = (async () => {
        await tenant.call('POST', `${document.path}/chunks`, upload(5))
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
})

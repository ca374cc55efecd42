import assert from 'node:assert/strict'

/** The caller's own types, which a generated client must accept unchanged. */
export interface NewChunk {
  content: string
  chunk_index: number
  embedding?: number[] | string
  metadata?: Record<string, unknown>
}
export interface Query {
  query?: string
  history?: string[]
  embedding?: number[] | string
  limit?: number
  metadata?: Record<string, unknown>
}

/** The parts of responses that the program reads; `content` is absent if a client may exclude it. */
export interface Document {
  id: string
  title: string
  content?: string | null
  status: 'pending' | 'processing' | 'completed' | 'error'
  chunk_count: number
}
export interface Chunk {
  chunk_index: number
  metadata: Record<string, unknown>
  embedding?: number[] | string | null
}
export interface Hit {
  document_id: string
  document_title: string
  content: string
  metadata: Record<string, unknown>
  score: number
}
export interface Page<T> {
  data: T[]
  has_more: boolean
  next_cursor: string | null
}
export interface Organization {
  id: string
  auto_delete_done_calls: boolean
}

/** One operation each, of the agent's knowledge base, as the generated client has it. Each throws when the API refuses. */
interface Sdk {
  createDocument(document: { title: string; content?: string }): Promise<Document>
  createDocuments(documents: { title: string; content?: string }[]): Promise<{ data: Document[] }>
  putDocument(externalId: string, document: { title: string; content: string }): Promise<Document>
  getDocumentByExternalId(externalId: string): Promise<Document>
  getDocument(documentId: string): Promise<Document>
  updateDocument(documentId: string, update: { title?: string; status?: 'pending' | 'completed' }): Promise<Document>
  deleteDocument(documentId: string): Promise<void>
  listDocuments(query: { limit?: number; cursor?: string }): Promise<Page<Document>>
  createChunks(documentId: string, chunks: NewChunk[]): Promise<{ data: Chunk[]; chunk_count: number }>
  listChunks(documentId: string, query: { include?: 'embedding'; encoding?: 'base64' }): Promise<Page<Chunk>>
  search(query: Query): Promise<{ data: Hit[]; degraded: 'keyword_only' | null }>
  getOrganization(): Promise<Organization>
  updateOrganization(update: { auto_delete_done_calls: boolean }): Promise<Organization>
}

export interface Connection {
  baseUrl: string
  apiKey: string
  agentId: string
}

export interface Problem {
  code: string
  detail: string
  errors?: { pointer?: string; parameter?: string; code: string }[]
}

/** Thrown by a client's program for a problem response. */
export class Refused extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}`)
    this.problem = problem
  }
}

const dimensions = 1536
const pollMilliseconds = 50
const pollSeconds = 60

/** Runs it against the API at BASE_URL. @throws AssertionError, Refused */
export async function journey(connect: (connection: Connection) => Sdk): Promise<void> {
  const { BASE_URL: baseUrl, API_KEY: apiKey, AGENT_ID: agentId } = process.env
  assert(baseUrl && apiKey && agentId, 'set BASE_URL, API_KEY and AGENT_ID')
  const sdk = connect({ baseUrl, apiKey, agentId })

  const hours = await sdk.createDocument({ title: 'Opening hours', content: 'On Sunday we are closed.' })
  assert.equal(hours.status, 'pending')
  const processed = await completed(sdk, hours.id)
  assert.equal(processed.chunk_count, 1)
  const [found] = (await sdk.search({ query: 'And are you open on Sunday?', history: ['When do you open?'] })).data
  assert.equal(found?.document_id, hours.id)
  assert(found.score > 0 && found.score <= 1)

  const [own, spare] = (await sdk.createDocuments([{ title: 'Prices' }, { title: 'Spare', content: 'Bells.' }])).data
  assert(own && spare)
  assert.deepEqual([spare.title, spare.content], ['Spare', 'Bells.'])
  await sdk.deleteDocument(spare.id)
  const synced = await sdk.putDocument('shop/ä b', { title: 'Synced', content: 'Bells.' })
  const again = await sdk.putDocument('shop/ä b', { title: 'Synced', content: 'Bells.' })
  assert.equal(again.id, synced.id)
  assert.equal((await sdk.getDocumentByExternalId('shop/ä b')).id, synced.id)
  await sdk.deleteDocument(synced.id)
  assert.deepEqual([own.status, own.content], ['pending', null])
  await refused(() => sdk.updateDocument(own.id, { status: 'completed' }), 'no_chunks')
  const first = { page: 1, section: { name: 'saddles', codes: ['G-1', 'G-2'] } }
  const uploaded = await sdk.createChunks(own.id, [
    { chunk_index: 0, content: 'The gel saddle costs 40 euros.', embedding: axis(0), metadata: first },
    { chunk_index: 1, content: 'The bell costs 8 euros.', embedding: toBase64(axis(1)), metadata: { page: 2 } },
    { chunk_index: 2, content: 'Prices include taxes.' },
  ])
  assert.equal(uploaded.chunk_count, 3)
  assert.deepEqual(
    uploaded.data.map(({ metadata }) => metadata),
    [first, { page: 2 }, {}],
  )
  assert.equal((await sdk.updateDocument(own.id, { status: 'completed' })).status, 'completed')

  const asNumbers = await sdk.listChunks(own.id, { include: 'embedding' })
  assert.deepEqual(
    asNumbers.data.map(({ embedding }) => embedding),
    [axis(0), axis(1), null],
  )
  const asText = await sdk.listChunks(own.id, { include: 'embedding', encoding: 'base64' })
  assert.deepEqual(asText.data[1]?.embedding, toBase64(axis(1)))

  // Without the filter the nearest chunk would be that of page 1.
  for (const embedding of [axis(0), toBase64(axis(0))]) {
    const filtered = await sdk.search({ embedding, metadata: { page: 2 } })
    assert.deepEqual(
      filtered.data.map(({ content, metadata }) => [content, metadata]),
      [['The bell costs 8 euros.', { page: 2 }]],
    )
    const nested = await sdk.search({ embedding, limit: 1, metadata: { section: { codes: ['G-2'] } } })
    assert.deepEqual(nested.data[0]?.metadata, first)
  }

  const titles: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<Document> = await sdk.listDocuments(cursor ? { limit: 1, cursor } : { limit: 1 })
    titles.push(...page.data.map(({ title }) => title))
    assert.equal(page.has_more, page.next_cursor !== null)
    cursor = page.next_cursor
  }
  assert.deepEqual(titles, ['Prices', 'Opening hours'])
  assert.equal((await sdk.listDocuments({})).data.length, 2)
  const [wrong] = await refused(() => sdk.listDocuments({ cursor: 'of no list' }), 'invalid_cursor')
  assert.equal(wrong?.parameter, 'cursor')
  const [blank] = await refused(() => sdk.createDocument({ title: ' ' }), 'validation_failed')
  assert.deepEqual([blank?.pointer, blank?.code], ['/title', 'too_short'])

  await sdk.deleteDocument(own.id)
  await refused(() => sdk.getDocument(own.id), 'document_not_found')
  await refused(() => connect({ baseUrl, apiKey: `${apiKey}x`, agentId }).getDocument(hours.id), 'invalid_api_key')

  const organization = await sdk.updateOrganization({ auto_delete_done_calls: true })
  assert.equal(organization.auto_delete_done_calls, true)
  assert.deepEqual(await sdk.getOrganization(), organization)
}

async function completed(sdk: Sdk, documentId: string): Promise<Document> {
  const deadline = performance.now() + 1000 * pollSeconds
  for (;;) {
    const document = await sdk.getDocument(documentId)
    if (document.status === 'completed') return document
    assert(performance.now() < deadline, `the document is still ${document.status} after ${pollSeconds} s`)
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds))
  }
}

/** @returns what the problem says of the input */
async function refused(act: () => Promise<unknown>, code: string): Promise<NonNullable<Problem['errors']>> {
  const thrown = await act().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(thrown instanceof Refused)) throw thrown ?? new Error(`the request was not refused with ${code}`)
  assert.equal(thrown.problem.code, code)
  return thrown.problem.errors ?? []
}

function axis(index: number): number[] {
  return Array.from({ length: dimensions }, (_, i) => Number(i === index))
}

/** Encodes the vector as little-endian 32-bit floats. */
function toBase64(vector: number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString('base64')
}

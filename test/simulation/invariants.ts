import { type Selectable, sql } from 'kysely'
import { chunk, embeddedText } from '../../shared/chunking/chunker.ts'
import type { Database } from '../../shared/database/database.ts'
import type { Tables } from '../../shared/database/tables.ts'
import { isWaiting } from '../../shared/documents/processing/guards.ts'
import { fromStored } from '../../shared/embedding/stored-vectors.ts'
import { normalize } from '../../shared/embedding/vectors.ts'
import type { AgentId, OrganizationId } from '../../shared/ids.ts'
import type { Asked } from '../../shared/retrieval/plan.ts'
import type { Mode } from '../../shared/retrieval/schemas.ts'
import { search } from '../../shared/retrieval/search.ts'
import { chunkTerms } from '../../shared/terms/indexed-terms.ts'
import { stopWords } from '../../shared/terms/stop-words.ts'
import { strayRows } from '../support/database/stray-rows.ts'
import { poison, vectorOf } from '../support/provider/provider-responses.ts'
import { partsOf } from '../support/tools/repeated-lines.ts'
import { activate, chunkCount, type ModelDocument, searchableChunkCount, textOf } from './model.ts'
import { typeOf, unreadable } from './simulated-bucket.ts'
import { chunkSize, type Tenant, type World } from './world.ts'

type Agent = Selectable<Tables['agents']>
type Row = Selectable<Tables['documents']> & { is_waiting: boolean; is_lease_live: boolean }
interface ChunkRow {
  chunk_index: number
  content: string
  embedding: string | null
  exponent: number
  /** The content from where the chunk begins to where it ends. */
  slice: string
}

const day = 24 * 60 * 60
const question = vectorOf('question')

/** Compares the database and its search results with the model, and adopts the changes that the pipeline may make by itself. */
export class Observer {
  readonly #world: World
  readonly #seen = new Map<string, Row>()
  /** The model's, when it was compared with the row. */
  readonly #edits = new Map<string, number>()
  #checkedAt = -1

  constructor(world: World) {
    this.#world = world
  }

  /** @throws Error that names the first promise found broken */
  async check(): Promise<void> {
    const { db, tenants, statements } = this.#world
    if (statements === this.#checkedAt) return
    const { rows, agents } = await db.batch({
      rows: sql<Row>`select organization_id, id, title, content, extracted_text, source_type, source_url,
        planned_chunk_count, status, managed_by, revision, active_revision, chunk_count,
        searchable_chunk_count, error_code, error_message, waiting_reason, tries, attempt, lease_token, version, edits,
        ${isWaiting} as is_waiting,
        coalesce(lease_expires_at > now() + interval '0.5 s', false) as is_lease_live from documents d order by id`,
      agents: sql<Agent>`select id, ready_document_count from agents`,
    })
    const [stray] = await strayRows(db)
    if (stray) throw new Error(`${stray.fault}: ${JSON.stringify(stray)}`)
    for (const tenant of tenants) {
      const agent = agents.find(({ id }) => id === tenant.agentId)!
      const own = rows.filter((row) => row.organization_id === tenant.organizationId)
      await this.#checkTenant(tenant, own, agent)
    }
    for (const { documents } of tenants)
      for (const { file } of documents)
        if (file?.isPosted && !this.#world.bucket.files.has(file.key)) throw new Error('the file of a document is gone')
    this.#checkedAt = this.#world.statements
  }

  async #checkTenant(tenant: Tenant, rows: Row[], agent: Agent) {
    const { db, random } = this.#world
    const { documents } = tenant
    const ids = (from: { id: string }[]) => from.map(({ id }) => id).sort()
    same(ids(rows), ids(documents), 'documents lost or appeared')
    // Chunks that change without their document would be noticed only by chance.
    let isNews = random.chance(0.08)
    for (const row of rows) {
      const document = documents.find(({ id }) => id === row.id)!
      const before = this.#seen.get(row.id)
      if (row.active_revision !== before?.active_revision || row.managed_by !== before.managed_by) isNews = true
      if (JSON.stringify(row) !== JSON.stringify(before)) this.#checkDocument(row, document)
      if (row.status === 'completed' && document.managedBy === 'service' && document.activeRevision !== row.revision)
        await this.#takeCompletion(db, row, document)
      same(row.active_revision, document.activeRevision, 'active revision')
      same(row.chunk_count, chunkCount(document), 'chunk_count')
      same(row.searchable_chunk_count, searchableChunkCount(document), 'searchable_chunk_count')
      this.#checkEdits(row, before, document)
      document.status = row.status
      this.#seen.set(row.id, row)
    }
    const ready = documents.filter(({ activeRevision }) => activeRevision !== null)
    same(agent.ready_document_count, ready.length, 'ready_document_count')
    if (!isNews) return
    await checkRevisions(db, documents)
    await checkTerms(db, tenant)
    await checkSearch(db, tenant)
    await this.#checkKeywordSearch(tenant)
  }

  /** Only clients' actions change the value that If-Match compares. */
  #checkEdits(row: Row, before: Row | undefined, document: ModelDocument) {
    const isEdited = before !== undefined && this.#edits.get(row.id) !== document.edits
    if (before && isEdited !== row.edits > before.edits)
      throw new Error(`edits went from ${before.edits} to ${row.edits} ${isEdited ? 'after an edit' : 'by themselves'}`)
    this.#edits.set(row.id, document.edits)
  }

  #checkDocument(row: Row, document: ModelDocument) {
    takeText(row, document)
    same(
      [
        ...[row.title, row.content, row.managed_by, row.revision],
        ...[row.extracted_text, row.source_type, row.source_url !== null],
      ],
      [
        ...[document.title, document.content, document.managedBy, document.revision],
        ...[document.text, document.sourceType, document.file !== null],
      ],
      'document differs from what was asked for',
    )
    if (row.planned_chunk_count !== null && (row.managed_by === 'client' || row.status === 'completed'))
      throw new Error('chunks planned of a revision that is not in progress')
    const before = this.#seen.get(row.id)
    if (before) {
      const face = (r: Row) => [
        ...[r.title, r.content, r.status, r.chunk_count, r.searchable_chunk_count, r.error_message],
        ...[r.source_type, r.source_url],
        ...(r.is_waiting ? [r.waiting_reason, r.tries] : []),
      ]
      const isVisible = JSON.stringify(face(before)) !== JSON.stringify(face(row))
      const isNewVersion = row.version !== before.version
      if (isVisible && !isNewVersion) throw new Error('a visible change under the same ETag')
      if (isNewVersion && !isVisible && row.revision === before.revision) throw new Error('a new ETag for no change')
    }
    if (row.lease_token) document.leases.add(row.lease_token)
    const isUnfinished = row.managed_by === 'service' && (row.status === 'pending' || row.status === 'processing')
    if (row.waiting_reason !== null && !isUnfinished)
      throw new Error(`${row.status}, but waiting: ${row.waiting_reason}`)
    if (/canary|sk-|provider\.example/.test(row.waiting_reason ?? '')) throw new Error('a secret in a reason')
    if (isUnfinished && row.tries < document.leases.size)
      throw new Error(`${row.tries} tries, but ${document.leases.size} claims`)
    if (row.is_waiting && row.tries === 0) throw new Error('waits for another attempt without a first')
    if (before?.is_lease_live && row.lease_token && row.lease_token !== before.lease_token)
      throw new Error('a lease was taken while it was live')
    if (document.managedBy === 'client') return same(row.status, document.status, 'status of a caller-managed document')
    const isSameRevision = before?.revision === row.revision
    if (isSameRevision && (before.status === 'completed' || before.status === 'error'))
      same(row.status, before.status, 'a status that nobody asked to change')
    if (row.status === 'completed' && isSameRevision && before.status !== 'completed')
      same(before.status, 'processing', 'status before completed')
    if (row.status === 'error' && (!isSameRevision || before.status !== 'error')) this.#checkError(row, document)
    if (row.attempt > 5 || row.attempt < 0) throw new Error(`attempt ${row.attempt}`)
  }

  #checkError(row: Row, document: ModelDocument) {
    const waited = this.#world.queue.now - document.pendingSince
    if (row.error_code === 'chunk_refused') {
      if (!textOf(document)!.includes(poison)) throw new Error('a good text was refused')
      const wording = /^Chunk \d+ was rejected by the embedding provider: .*; edit the text around '.*' and save\.$/
      if (!wording.test(row.error_message!)) throw new Error(`message for people: ${row.error_message}`)
      if (/canary|sk-/.test(row.error_message!)) throw new Error('a secret in a message')
    } else if (row.error_code === 'attempts_exhausted') {
      if (document.leases.size < 5) throw new Error(`given up after ${document.leases.size} attempts`)
    } else if (row.error_code === 'provider_unavailable' || row.error_code === 'not_processed') {
      if (waited < day) throw new Error(`closed after ${waited} seconds`)
    } else this.#checkErrorOfFile(row, document)
  }

  #checkErrorOfFile({ error_code, error_message }: Row, { file, text }: ModelDocument) {
    if (!file || text !== null) throw new Error(`error code ${error_code}`)
    if (error_code === 'file_not_uploaded') {
      if (file.isPosted) throw new Error('a file that was posted is not found')
    } else if (error_code === 'file_unreadable') {
      const isAtFault = file.content.includes(unreadable) || !/[a-z]/.test(file.content)
      if (!isAtFault || !error_message) throw new Error(`a good file was refused: ${error_message}`)
    } else throw new Error(`error code ${error_code}`)
  }

  /** The pipeline says that it is done: look at everything it made. */
  async #takeCompletion(db: Database, row: Row, document: ModelDocument) {
    const { rows: stored } = await sql<ChunkRow>`select c.chunk_index, c.content, v.embedding, v.exponent,
          substring(coalesce(d.content, d.extracted_text) from d.chunk_offsets[2 * c.chunk_index + 1] + 1
            for d.chunk_offsets[2 * c.chunk_index + 2] - d.chunk_offsets[2 * c.chunk_index + 1]) as slice from chunks c
        join documents d on d.id = c.document_id
        left join vectors v on v.document_id = c.document_id and v.id = c.vector_id
        where c.document_id = ${row.id} order by c.chunk_index`.execute(db)
    const text = textOf(document)!
    const wanted = chunk(text, chunkSize)
    same(
      stored.map((each) => [each.chunk_index, each.content]),
      wanted.map((each) => [each.chunk_index, each.content]),
      'chunks of a completed document',
    )
    same(
      stored.map((each) => each.slice),
      wanted.map((each) => partsOf(text, each).own),
      'what the offsets of a completed document’s chunks say',
    )
    const isOf = (title: string) =>
      stored.every((each, i) => isVectorOf(each, normalize(vectorOf(embeddedText(title, wanted[i]!)))))
    if (!document.titles.some(isOf)) throw new Error('the vector of another text')
    activate(document, text)
    document.served = wanted.map(({ chunk_index, content }) => ({ chunk_index, content, isEmbedded: true }))
  }

  /** Searches for a word of a served text or its title. */
  async #checkKeywordSearch(tenant: Tenant) {
    const { db, random } = this.#world
    const served = servedOf(tenant)
    const words = [...new Set(served.flatMap(({ words }) => [...words]))].filter((word) => !stopWords.has(word))
    if (words.length === 0) return
    const word = random.pick(words)
    const wanted = served.filter((each) => each.words.has(word))
    await checkHits(db, tenant, { mode: 'keyword', query: word }, wanted)
  }
}

/** The pipeline reports that it has a file's text. Later attempts are the embedding's. */
function takeText({ extracted_text }: Row, document: ModelDocument) {
  const { file } = document
  if (extracted_text === null || document.text !== null || !file) return
  if (!file.isPosted || extracted_text !== file.content) throw new Error(`the text of another file: ${extracted_text}`)
  document.text = extracted_text
  document.sourceType = typeOf(extracted_text)
  document.leases = new Set()
}

async function checkRevisions(db: Database, documents: ModelDocument[]) {
  const { rows } = await sql<{ id: string; revision: number; content: string | null }>`
    select document_id as id, revision, content from document_revisions union all
    select id, active_revision, case managed_by when 'service' then coalesce(content, extracted_text) end
    from documents where active_revision >= text_revision order by 2`.execute(db)
  for (const { id, history } of documents) {
    const found = rows.flatMap(({ id: of, ...revision }) => (of === id ? [revision] : []))
    same(found.slice(-20), history.slice(-20), 'what search has served')
  }
}

/** Checks the terms of each chunk with a vector, served or not; the check of stray rows finds any others. */
async function checkTerms(db: Database, tenant: Tenant) {
  const { rows } = await sql<{ content: string; headings: string[] | null; terms: Buffer }>`
    select content, metadata -> 'headings' as headings, terms from chunks
    where organization_id = ${tenant.organizationId} and vector_id is not null`.execute(db)
  for (const { content, headings, terms } of rows)
    same(terms, chunkTerms(content, headings ?? []), `terms of ${content}`)
}

interface Served {
  key: string
  content: string
  words: Set<string>
}

/** The chunks that search may find: those that are served and have a vector. */
function servedOf({ documents }: Tenant): Served[] {
  return documents.flatMap(({ id, title, served }) =>
    served
      .filter((each) => each.isEmbedded)
      .map(({ chunk_index, content }) => ({
        key: keyOf(id, chunk_index, content),
        content,
        words: new Set(`${title} ${content}`.toLowerCase().match(/[a-z]{3,}/g)),
      })),
  )
}

const keyOf = (id: string, index: number, content: string) => `${id} ${String(index).padStart(4, '0')} ${content}`

async function checkSearch(db: Database, tenant: Tenant) {
  await checkHits(db, tenant, { mode: 'semantic', vector: question }, servedOf(tenant))
}

async function checkHits(db: Database, tenant: Tenant, { mode, ...asked }: Asked & { mode: Mode }, wanted: Served[]) {
  const scope = { organizationId: tenant.organizationId as OrganizationId, agentId: tenant.agentId as AgentId }
  const asking = { mode, hypotheses: [asked], filters: { limit: 50 } }
  const { hits } = await search(db.forOrganization(scope.organizationId), scope, asking)
  const what = `what search serves for ${asked.query ?? 'a vector'}`
  const keys = new Set(wanted.map(({ key }) => key))
  const strays = hits.filter((hit) => !keys.has(keyOf(hit.document_id, hit.chunk_index, hit.content)))
  same(strays, [], `strays in ${what}`)
  // Of equal passages one document’s are found.
  const textsOf = (found: readonly { content: string }[]) => [...new Set(found.map(({ content }) => content))].sort()
  same(textsOf(hits), textsOf(wanted), what)
  const scores = hits.map((hit) => hit.score)
  if (!scores.every(Number.isFinite)) throw new Error('a score that is no number')
  const sorted = scores.toSorted((a, b) => b - a)
  same(scores, sorted, 'order of the scores')
}

function isVectorOf({ embedding, exponent }: ChunkRow, wanted: Float32Array): boolean {
  if (embedding === null) throw new Error('a completed chunk without a vector')
  const isNear = (number: number, i: number) => Math.abs(number - wanted[i]!) <= 1e-3 * Math.abs(wanted[i]!)
  return fromStored(embedding, exponent).every(isNear)
}

function same(found: unknown, wanted: unknown, what: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (a !== b) throw new Error(`${what}: found ${a}, wanted ${b}`)
}

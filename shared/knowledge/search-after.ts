import { sql } from 'kysely'
import type { Check } from '../checks/check.ts'
import { columnsOf } from '../database/columns.ts'
import type { Database, Statement } from '../database/database.ts'
import { recordset } from '../database/recordset.ts'
import { type AgentScope, isAgent } from '../database/scope.ts'
import { fromStored } from '../embedding/stored-vectors.ts'
import type { DocumentId } from '../ids.ts'
import { answerOf, type Found, type Texts } from '../retrieval/found.ts'
import { withinBudget } from '../retrieval/heard.ts'
import { inContext } from '../retrieval/in-context.ts'
import {
  type AgentIndex,
  countChunks,
  type Place,
  placeOf,
  servedDocuments,
  withChanges,
} from '../retrieval/index/agent-index.ts'
import { bytesPerPart, toChange, upToDate, wholeChunks } from '../retrieval/index/changes.ts'
import { loadedAgents } from '../retrieval/index/loaded-agents.ts'
import { packChunks } from '../retrieval/index/segment.ts'
import { comparedPassages } from '../retrieval/letter-runs.ts'
import { type Plan, planOf, whereabouts } from '../retrieval/plan.ts'
import {
  type AgentRow,
  type PackRow,
  type PassageRow,
  readAgent,
  type Wanted,
} from '../retrieval/statement/read-agent.ts'
import { Unavailable } from '../unavailable.ts'

/** What a change does to a document, or to the agent's model. */
export interface Effect {
  document_id?: DocumentId
  /**
   * `serves` its newest revision, of `chunk_count` chunks if the service made it; `replaces` its text; `removes` it from search; `restores`
   * it from the trash, so that search serves the chunks of the revision in `before_deletion` again.
   */
  action?: 'serves' | 'replaces' | 'removes' | 'restores' | 'switches_model'
  chunk_count?: number
  title?: string
  dates?: Record<'valid_from' | 'valid_until', Date | string | null>
}

/** A chunk that a change would bring. */
export interface MadeChunk extends Omit<PassageRow, 'chunk_id' | 'url' | 'page'> {
  vector_id: string
  /** Undefined if the document has a stored vector with that id. */
  vector?: Float32Array
  sketch: Uint8Array
  terms: Uint8Array
}

interface After {
  changes: readonly Effect[]
  made?: readonly MadeChunk[]
}

/** A check, whose vector is stored, or any question with its vector and the model that made it. */
export type Asked = Pick<Check, 'id' | 'question' | 'as_of'> &
  Partial<Pick<Check, 'history'>> & { vector?: Float32Array; vectorModel?: string; isAnyWeek?: boolean }

/** Questions per round trip. */
const perTrip = 50
/** Each of concurrent changes of an agent outdates what the others have read. */
const maxAttempts = 50

/** Searches a copy of the agent's index with the changes. @returns the answers by the question's id @throws Unavailable */
export async function searchAfter(
  db: Database,
  scope: AgentScope,
  after: After,
  given: readonly Asked[],
): Promise<Map<string, Found>> {
  const questions = given.map(heardOf)
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const index = loadedAgents.keep(await upToDate(db, await loadedAgents.of(db, scope)))
    const changed = await indexAfter(db, index, after)
    const found = new Map<string, Found>()
    for (let from = 0; from < questions.length; from += perTrip) {
      const part = await answersOf(db, changed, after, questions.slice(from, from + perTrip))
      if (!part) break
      for (const [id, answer] of part) found.set(id, answer)
    }
    if (found.size === questions.length) return found
  }
  throw new Unavailable('database', new Error(`The knowledge base changed ${maxAttempts} times in a row`))
}

/** @returns undefined if something has changed since the index */
async function answersOf(
  db: Database,
  index: AgentIndex,
  { changes, made = [] }: After,
  questions: readonly Asked[],
): Promise<[string, Found][] | undefined> {
  const vectors = await storedVectors(db, index.scope, questions)
  const chunks = new Map(made.map((chunk) => [`${chunk.document_id} ${chunk.chunk_index}`, chunk]))
  const madeAt = ({ document, index }: Place) =>
    document.revision === madeRevision ? chunks.get(`${document.documentId} ${index}`) : undefined
  const ofNextModel = changes.some(({ action }) => action === 'switches_model')
  const plans = questions.map((question) =>
    planOf(index, toSought(index, { ...question, ...vectors.get(question.id) })),
  )
  const rows = await readAll(
    db,
    index,
    plans.map(({ wanted }) => {
      const vectorIds = wanted.compared.map((place) => madeAt(place)?.vector_id)
      return { ...wanted, read: [], ofNextModel, vectorIds }
    }),
  )
  const ranked = plans.map((plan, i) => plan.draft.finish(cosinesWith(plan, rows[i]?.cosines ?? [], madeAt)))
  const best = new Map(
    ranked.flat().map(({ chunk }) => {
      const place = placeOf(index, chunk)
      return [`${place.document.documentId} ${place.index}`, place]
    }),
  )
  const texts = await textsAt(db, index, [...best.values().filter((place) => !madeAt(place))])
  if (!texts || !rows.every((row) => row?.version === index.version)) return undefined
  const local = made.map((chunk) => ({ ...chunk, chunk_id: chunk.vector_id, url: null, page: null }))
  return questions.map(({ id }, i) => [id, answerOf(plans[i]!, ranked[i]!, [...local, ...texts])])
}

async function readAll(db: Database, { scope }: AgentIndex, wanted: readonly Wanted[]) {
  const statements = wanted.map((each, i) => [`question${i}`, readAgent(scope, each)] as const)
  const rows: Record<string, AgentRow[]> = await db.batch(
    Object.fromEntries(statements) as Record<string, Statement<AgentRow>>,
  )
  return wanted.map((_, i) => rows[`question${i}`]![0])
}

const textsPerTrip = 100

/** @returns undefined if something has changed since the index */
async function textsAt(db: Database, index: AgentIndex, places: readonly Place[]): Promise<Texts | undefined> {
  const texts: Texts[number][] = []
  while (texts.length < places.length) {
    const read = places.slice(texts.length, texts.length + textsPerTrip)
    const [row] = await readAll(db, index, [{ version: index.version, read }])
    if (row?.version !== index.version) return undefined
    texts.push(...row.passages!)
  }
  return texts
}

/** The cosines of stored vectors, and those of vectors that are not stored. */
function cosinesWith(
  { wanted: { compared, vectors } }: Plan,
  cosines: readonly (readonly number[])[],
  madeAt: (place: Place) => MadeChunk | undefined,
) {
  return cosines.map((each, v) =>
    each.map((cosine, i) => {
      const made = madeAt(compared[i]!)?.vector
      return made ? cosineOf(made, vectors[v]!) : cosine
    }),
  )
}

function cosineOf(one: Float32Array, other: ArrayLike<number>): number {
  let [product, squares, otherSquares] = [0, 0, 0]
  for (let i = 0; i < one.length; i++) {
    product += one[i]! * other[i]!
    squares += one[i]! ** 2
    otherSquares += other[i]! ** 2
  }
  return product / Math.sqrt(squares * otherSquares)
}

/** The question as a search reads it. */
function heardOf(asked: Asked): Asked {
  const { query, history } = withinBudget({ query: asked.question, history: asked.history })
  return { ...asked, question: query!, ...(history && { history: [...history] }) }
}

function toSought({ agent }: AgentIndex, { question: query, history, as_of, vector, vectorModel, ...asked }: Asked) {
  const isServed = vectorModel === undefined || (agent.model ?? vectorModel) === vectorModel
  const moment = {
    at: as_of ? new Date(as_of) : new Date(),
    place: whereabouts(agent),
    isAnyWeek: asked.isAnyWeek ?? as_of === null,
  }
  const hypotheses = [{ query, inContext: inContext(query, history), vector: isServed ? vector : undefined }]
  return { mode: 'hybrid', hypotheses, history, moment, limit: comparedPassages } as const
}

const g = columnsOf('golden_questions', 'g')
const d = columnsOf('documents', 'd')
const a = columnsOf('agents', 'a')

/** The checks' vectors, by their ids; none for a question with a vector of its own. */
async function storedVectors(db: Database, { organizationId, agentId }: AgentScope, questions: readonly Asked[]) {
  const ids = questions.flatMap(({ id, vectorModel }) => (vectorModel === undefined ? [id] : []))
  if (ids.length === 0) return new Map()
  const { rows } = await db.batch({
    rows: sql<{
      id: string
      model: string
      embedding: string
    }>`select ${g.id}, ${g.model}, ${g.embedding}::text as embedding
      from golden_questions g
      where ${g.organization_id} = ${organizationId} and ${g.agent_id} = ${agentId} and ${g.id} = any(${ids}::uuid[])`,
  })
  return new Map(rows.map(({ id, model, embedding }) => [id, { vector: fromStored(embedding, 0), vectorModel: model }]))
}

/** The revision of documents in `made`: none of the database's. */
const madeRevision = 0

async function indexAfter(db: Database, index: AgentIndex, { changes, made = [] }: After): Promise<AgentIndex> {
  if (changes.some(({ action }) => action === 'switches_model')) return await indexOfNextModel(db, index)
  const madeOf = Map.groupBy(made, ({ document_id }) => document_id)
  const replaced = (id: DocumentId) =>
    packChunks((madeOf.get(id) ?? []).map((chunk) => ({ ...chunk, revision: madeRevision })))
  const packs = await packsAfter(db, index.scope, changes)
  const changed = packs.map((pack) =>
    toChange(pack.revision === madeRevision ? { ...pack, chunks: replaced(pack.document_id) } : pack),
  )
  return changed.length > 0 ? withChanges(index, changed) : index
}

/** The index after a change of the model. It keeps the model's name if a chunk has no vector of the next one. */
async function indexOfNextModel(db: Database, index: AgentIndex): Promise<AgentIndex> {
  const { agents } = await db.batch({
    agents: sql<{ next_model: string | null }>`select ${a.next_model} from agents a where ${isAgent(index.scope)}`,
  })
  const served = index.layers.flatMap(servedDocuments)
  const packs = await packsAfter(
    db,
    index.scope,
    served.map(({ documentId }) => ({ document_id: documentId, action: 'switches_model' })),
  )
  const next = withChanges(index, packs.map(toChange))
  const model = agents[0]?.next_model ?? index.agent.model
  return countChunks(next) === countChunks(index) ? { ...next, agent: { ...index.agent, model } } : next
}

const documentsPerTrip = 20
const bytesPerDocument = bytesPerPart / documentsPerTrip

/** The documents as they would be after the effects. */
async function packsAfter(db: Database, scope: AgentScope, effects: readonly Effect[]): Promise<PackRow[]> {
  const packs: PackRow[] = []
  for (let from = 0; from < effects.length; from += documentsPerTrip) {
    const part = effects.slice(from, from + documentsPerTrip)
    const { rows } = await db.batch({ rows: selectAfter(scope, part, { from: 0, bytes: bytesPerDocument }) })
    for (const row of rows) {
      const effect = part.filter(({ document_id }) => document_id === row.document_id)
      const chunks = await wholeChunks(row, async (from) => {
        const { rest } = await db.batch({ rest: selectAfter(scope, effect, { from, bytes: bytesPerPart }) })
        return rest[0]?.chunks
      })
      packs.push({ ...row, chunks })
    }
  }
  return packs
}

const effectColumns = {
  document_id: 'uuid',
  action: 'text',
  chunk_count: 'int',
  title: 'text',
  dates: 'boolean',
  valid_from: 'timestamptz',
  valid_until: 'timestamptz',
} as const

function selectAfter(
  { organizationId }: AgentScope,
  effects: readonly Effect[],
  part: { from: number; bytes: number },
) {
  const rows = effects.map(({ dates, ...effect }) => ({ ...effect, dates: dates !== undefined, ...dates }))
  return sql<PackRow & { chunks: string; size: number }>`
    select ${d.id} as document_id, 0 as version, r.revision, coalesce(e.title, ${d.title}) as title,
      case when e.dates then e.valid_from else ${d.valid_from} end as valid_from,
      case when e.dates then e.valid_until else ${d.valid_until} end as valid_until, octet_length(packed.chunks) as size,
      encode(substring(packed.chunks from ${part.from + 1} for ${part.bytes}), 'base64') as chunks
    from ${recordset('e', effectColumns, rows)}
    join documents d on ${d.organization_id} = ${organizationId} and ${d.id} = e.document_id
    cross join lateral (
      select case e.action when 'serves' then ${d.revision} when 'replaces' then ${madeRevision} when 'removes' then null
        when 'restores' then (d.before_deletion ->> 'active_revision')::int else ${d.active_revision} end as revision) r
    cross join lateral packed_chunks(${organizationId}, ${d.id}, r.revision, e.chunk_count,
      coalesce(e.action, '') = 'switches_model') packed`
}

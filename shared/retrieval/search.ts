import type { Database } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import { fromStored } from '../embedding/stored-vectors.ts'
import { agentNotFound } from '../http/not-found.ts'
import { Unavailable } from '../unavailable.ts'
import { answerOf, type Found, nameOf, type Texts, withinLimit } from './found.ts'
import {
  type AgentIndex,
  areEquallyValid,
  type Chosen,
  type Place as ChunkPlace,
  placeOf,
  servedDocuments,
} from './index/agent-index.ts'
import { withRow } from './index/changes.ts'
import { type LoadedAgents, loadedAgents } from './index/loaded-agents.ts'
import { type Asked, type Filters, firstLimit, maxRefills, type Plan, planOf, whereabouts } from './plan.ts'
import { findQueryVectors, type QueryVectorKey, rememberQueryVectors } from './query-vector/query-vectors.ts'
import type { Ranked } from './ranking/rank.ts'
import type { Mode } from './schemas.ts'
import { keepPassages, keptPassage } from './statement/kept-passages.ts'
import { type AgentRow, readAgent, selectChosen } from './statement/read-agent.ts'

/** What is asked of search. */
interface Question {
  mode: Mode
  hypotheses: readonly Asked[]
  filters: Filters
  vectors?: Vectors
}

interface Vectors {
  /** The model that made the hypotheses' vectors; undefined for a caller's own, which count as the serving model's. */
  model: string | undefined
  /** Keys under which vectors may be stored. */
  keys?: readonly QueryVectorKey[]
  /** Vectors to store. */
  made?: readonly { key: QueryVectorKey; vector: ArrayLike<number> }[]
}

/** After each attempt the index is as new as the attempt was. */
const maxAttempts = 20

/**
 * Searches for all hypotheses; a chunk has its best score over them. Returns the one with the proven value, then those that name the
 * asked days (`datedFirst`), then the best first, ties by document and index, seen ones behind others as good (`unseenFirst`), one of
 * several documents' equal passages (`unequal`), and as many as fit into a response, at least one if any.
 *
 * Ranks by the index that the instance keeps, and takes one round trip; further ones for a filter by metadata, where something has changed
 * since, where exact cosines bring up a chunk whose text was not read, and where too few of the passages differ.
 * @throws ApiError agent_not_found, payload_too_large; Unavailable
 */
export async function search(
  db: Pick<Database, 'batch'>,
  scope: AgentScope,
  { mode, hypotheses, filters, vectors = { model: undefined } }: Question,
  agents: LoadedAgents = loadedAgents,
): Promise<Found> {
  const { seen, history, as_of } = filters
  let limit = firstLimit(filters)
  let index = await agents.of(db, scope)
  let now = Date.now()
  let refills = 0
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const isServed = vectors.model === undefined || (index.agent.model ?? vectors.model) === vectors.model
    const at = new Date(as_of ?? now)
    const plan = planOf(index, {
      mode,
      hypotheses: isServed ? hypotheses : hypotheses.map(({ vector, ...each }) => each),
      history,
      seen,
      moment: { at, place: whereabouts(index.agent) },
      limit,
      chosen: await chosenBy(db, scope, filters),
    })
    const { rows, stored = [] } = await db.batch({
      ...(attempt === 1 && rememberQueryVectors(scope, vectors.made)),
      ...(vectors.keys && { stored: findQueryVectors(scope, vectors.keys) }),
      rows: readAgent(scope, { ...plan.wanted, read: plan.wanted.read.filter((place) => !keptPassage(scope, place)) }),
    })
    const row = rows[0] ?? agentNotFound()
    const newer = row.version === index.version ? index : agents.keep(await withRow(db, index, row))
    // Only then does the index have all that was served when the search began.
    const isNew = newer === index || (attempt > 1 && hasSame(newer, plan.wanted))
    const isValidNow = as_of !== undefined || areEquallyValid(index, at.getTime(), row.now)
    const ranked = plan.draft.finish(row.cosines ?? [])
    const texts = isNew && isValidNow && (await textsOf(db, plan, ranked, row))
    index = newer
    now = row.now
    if (!texts) continue
    const isAll = ranked.length < limit || refills === maxRefills
    const found = withinLimit(answerOf(plan, ranked, texts), filters, isAll)
    if (found) {
      const vectorOf = new Map(stored.map(({ key, embedding }) => [key, fromStored(embedding, 0)]))
      return { ...found, stored: vectorOf }
    }
    limit *= 4
    refills++
  }
  throw new Unavailable('database', new Error('The knowledge base changes faster than it can be read'))
}

/** The texts of the best chunks, as many as fit into a response. @returns undefined if something has changed since the row was read */
async function textsOf(
  db: Pick<Database, 'batch'>,
  { index, wanted }: Plan,
  ranked: readonly Ranked[],
  row: AgentRow,
): Promise<Texts | undefined> {
  const { scope } = index
  const kept = wanted.read.map((place) => keptPassage(scope, place))
  const texts = [...(row.passages ?? []), ...kept]
  const missing = missingTexts(index, ranked, texts)
  const version = row.version
  const { rows } =
    missing.length > 0 ? await db.batch({ rows: readAgent(scope, { version, read: missing }) }) : { rows: [row] }
  if (rows[0]?.version !== version) return undefined
  const read = missing.length > 0 ? (rows[0].passages ?? []) : texts
  if (version === index.version) keepPassages(scope, [...wanted.read, ...missing], read)
  return read
}

/** The documents, or places in them, to which the filters confine a search; undefined for all. */
async function chosenBy(
  db: Pick<Database, 'batch'>,
  scope: AgentScope,
  { document_ids: ids, metadata, document_metadata }: Filters,
): Promise<Chosen | undefined> {
  if (metadata === undefined && document_metadata === undefined) return ids && new Map(ids.map((id) => [id, 'all']))
  const { rows } = await db.batch({ rows: selectChosen(scope, metadata, document_metadata) })
  const isNamed = ids && new Set(ids)
  const named = rows.filter(({ document_id }) => isNamed?.has(document_id) !== false)
  return new Map(named.map(({ document_id, places }) => [document_id, metadata ? new Set(places) : 'all']))
}

/** True if the documents of these chunks are served in the same revision by a newer index. */
function hasSame(newer: AgentIndex, { compared, read }: Plan['wanted']): boolean {
  const documents = newer.layers.flatMap(servedDocuments)
  const served = new Set(documents.map(({ documentId, revision }) => `${documentId} ${revision}`))
  return [...compared, ...read].every(({ document: { documentId, revision } }) =>
    served.has(`${documentId} ${revision}`),
  )
}

/** The best chunks in their order, if one of the texts is missing. */
function missingTexts(index: AgentIndex, ranked: readonly Ranked[], texts: Texts): ChunkPlace[] {
  const has = new Set(texts.map((text) => text && nameOf(text.document_id, text.chunk_index)))
  const best = ranked.map(({ chunk }) => placeOf(index, chunk))
  return best.every(({ document, index }) => has.has(nameOf(document.documentId, index))) ? [] : best
}

import { sql } from 'kysely'
import { columnsOf } from '../../../shared/database/columns.ts'
import type { Database } from '../../../shared/database/database.ts'
import { recordset } from '../../../shared/database/recordset.ts'
import { type AgentScope, isOfAgent } from '../../../shared/database/scope.ts'
import type { KeptHit } from '../../../shared/database/tables.ts'
import { findRevision, type Revision } from '../../../shared/documents/client/revisions.ts'
import type { DocumentId } from '../../../shared/ids.ts'
import type { KeptQuestion } from '../../../shared/questions/questions.ts'
import type { Place } from '../../../shared/retrieval/dates/calendar.ts'
import { daysOfCall, wordsOfDays } from '../../../shared/retrieval/dates/dated.ts'
import { heardOf } from '../../../shared/retrieval/speech/speech.ts'
import type { Source } from '../answer-view.ts'
import { documentPath, passagePath } from '../paths.ts'

/** The maximum number of earlier texts that a page looks up, each with a request. */
const maxReplaced = 10

/** A passage as it was when it was found. */
interface GivenPassage {
  title: string
  /** Undefined if it is no longer kept, or wasn't looked up. */
  text: string | undefined
  /** True if the document still has this passage. */
  isUnchanged: boolean
}

type HitPlace = Pick<KeptHit, 'document_id' | 'revision' | 'chunk_index'>

type GivenOf = (hit: HitPlace) => GivenPassage | undefined

const d = columnsOf('documents', 'd')
const c = columnsOf('chunks', 'c')

/** @returns a look-up by hit, undefined if its document was deleted */
export async function findGiven(db: Database, scope: AgentScope, hits: readonly HitPlace[]) {
  const given = new Map<string, GivenPassage>()
  if (hits.length === 0) return () => undefined
  const places = recordset('h', { document_id: 'uuid', revision: 'int', chunk_index: 'int' }, hits)
  // A chunk keeps its first revision while the document has it in the same place.
  const { rows } = await sql<HitPlace & { title: string; content: string | null }>`
    select distinct h.document_id, h.revision, h.chunk_index, d.title, c.content
    from ${places} join documents d on ${isOfAgent(scope)} and d.id = h.document_id
    left join lateral (select c.content from chunks c
      where c.organization_id = ${scope.organizationId} and c.document_id = h.document_id and c.chunk_index = h.chunk_index
        and ${c.revision} <= least(h.revision, ${d.active_revision})
      order by c.revision desc limit 1) c on true`.execute(db)
  const replaced = rows.filter(({ content }) => content === null)
  for (const { content, title, ...place } of rows)
    given.set(keyOf(place), { title, text: content ?? undefined, isUnchanged: content !== null })
  const texts = Map.groupBy(replaced, ({ document_id, revision }) => `${document_id} ${revision}`)
  // One at a time, because each may have 4 MiB of text.
  for (const places of [...texts.values()].slice(0, maxReplaced)) {
    const [{ document_id, revision, title }] = places as [(typeof replaced)[number]]
    const found = await findRevision(db, { ...scope, documentId: document_id as DocumentId }, revision)
    for (const place of places) {
      const text = textIn(found, place.chunk_index)
      given.set(keyOf(place), { title, text, isUnchanged: false })
    }
  }
  return (hit: HitPlace) => given.get(keyOf(hit))
}

function keyOf({ document_id, revision, chunk_index }: HitPlace): string {
  return `${document_id} ${revision} ${chunk_index}`
}

function textIn(revision: Revision | undefined, index: number): string | undefined {
  const [start, end] = revision?.chunk_offsets?.slice(2 * index, 2 * index + 2) ?? []
  return end === undefined ? undefined : revision?.content?.slice(start, end)
}

/** The passage, or its document if the text is an earlier one. Undefined if the document was deleted. */
export function sourceThen(agentId: string, hit: HitPlace, givenOf: GivenOf): Source | undefined {
  const given = givenOf(hit)
  if (!given) return undefined
  const { document_id, chunk_index } = hit
  const { title, isUnchanged } = given
  if (isUnchanged) return { title, path: passagePath(agentId, document_id, chunk_index), details: [] }
  return { title, path: documentPath(agentId, document_id), details: ['whose text has changed since'] }
}

/** The hit with the value, or else the first. Undefined if nothing answered. */
export function answeringPassage({ status, hits, value }: KeptQuestion): KeptHit | undefined {
  if (status === 'nothing') return undefined
  return hits.find(({ chunk_id }) => chunk_id !== undefined && chunk_id === value?.chunk_id) ?? hits[0]
}

export interface Heard {
  hit: KeptHit
  /** Empty if it is no longer kept. */
  text: string
  /** Undefined if its document was deleted. */
  source: Source | undefined
}

/**
 * The answer to a past question, as it was said. Undefined if nothing answered.
 * @param place whose days “today” and “Sunday” in the question are
 */
export function heardThen(
  agentId: string,
  asked: KeptQuestion,
  givenOf: GivenOf,
  place: Place,
  maxCharacters?: number,
): Heard | undefined {
  const hit = answeringPassage(asked)
  if (!hit) return undefined
  const { title = '', text = '' } = givenOf(hit) ?? {}
  const passage = { chunk_id: hit.chunk_id ?? '', document_title: title, content: text, metadata: {} }
  const moment = { at: asked.asked_at, place }
  const days = wordsOfDays(asked.question, daysOfCall(asked.question, [], moment), moment)
  const heard = heardOf(`${asked.question} ${days}`, [passage], asked.value, maxCharacters)
  return { hit, text: heard!.text, source: sourceThen(agentId, hit, givenOf) }
}

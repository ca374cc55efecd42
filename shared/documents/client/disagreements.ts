import { type RawBuilder, sql } from 'kysely'

/** A claim of the document, and one of another document that contradicts it. */
export interface Disagreement {
  with: string
  title: string
  here: Place
  there: Place
}

type Place = { chunk_index: number; text: string }

const maxPairs = 20
/** The number of other documents, with less and with greater amounts by their hash, that one claim is compared with. */
const maxCompared = 50

// Two conditions that the index serves, unlike `<>`.
const others = (sign: '<' | '>') => sql`(select * from document_claims t
  where t.organization_id = h.organization_id and t.agent_id = h.agent_id and t.key = h.key and t.scope = h.scope
    and t.amounts ${sql.raw(sign)} h.amounts and (t.currency = h.currency or t.currency = '' or h.currency = '')
  limit ${sql.lit(maxCompared)})`

const isValid = (alias: string): RawBuilder<boolean> =>
  sql.raw(`coalesce(${alias}.valid_from <= now(), true) and coalesce(now() < ${alias}.valid_until, true)`)

/** Joins claims `h` of served documents `d` to those that contradict them: of documents with equal metadata, and both with or both without an end. */
const contradicting = sql`cross join lateral (${others('<')} union all ${others('>')}) t
  join documents o on o.organization_id = t.organization_id and o.id = t.document_id and o.active_revision = t.revision
    and o.metadata = d.metadata and (o.valid_until is null) = (d.valid_until is null) and ${isValid('d')} and ${isValid('o')}`

/** Contradictions between `documents as d` and others, while search serves both. */
export const disagreements = sql<Disagreement[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('with', p.id, 'title', p.title,
      'here', jsonb_build_object('chunk_index', p.here, 'text', p.text),
      'there', jsonb_build_object('chunk_index', p.there, 'text', p.other_text)) order by p.here, p.id, p.there), '[]')
  from (
    select o.id, o.title, h.chunk_index as here, h.text, t.chunk_index as there, t.text as other_text
    from document_claims h ${contradicting}
    where h.organization_id = d.organization_id and h.document_id = d.id and h.revision = d.active_revision
    limit ${sql.lit(maxPairs)}) p)`

/** The most claims of an organization, shared by its agents, and of an agent's things with different amounts, among which one contradiction is sought. */
const [maxClaims, maxThings] = [100_000, 100]

/** The id of a document of the agent `a` that contradicts another. Things with different amounts are found by an index-only scan, in the index's order. */
export const contradictingDocument = sql<string | null>`(
  select d.id from (
      select k.key, k.scope from (
        select c.key, c.scope, c.amounts, lag(c.amounts) over (partition by c.key, c.scope order by c.amounts) as before
        from (
          select key, scope, amounts from document_claims where organization_id = a.organization_id and agent_id = a.id
          order by key, scope, amounts limit ${sql.lit(maxClaims)} / (select count(*) from agents b where b.organization_id = a.organization_id)) c) k
      where k.amounts <> k.before limit ${sql.lit(maxThings)}) k
    cross join lateral (select * from document_claims c where c.organization_id = a.organization_id and c.agent_id = a.id
      and c.key = k.key and c.scope = k.scope limit ${sql.lit(maxCompared)}) h
    join documents d on d.organization_id = h.organization_id and d.id = h.document_id and d.active_revision = h.revision
    ${contradicting} limit 1)`

import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { trashDays } from '../../shared/documents/trash.ts'
import { windowSeconds } from '../../shared/organizations/sessions.ts'

/** 30,000 idempotency keys may arrive a minute. A request holds its key's row while it waits for a document's. */
export const purgeKeys = (db: Database) =>
  inBatches(db, 5000, 15_000, (limit) => {
    return sql`delete from idempotency_keys k using (
        select organization_id, api_key_id, key from idempotency_keys
        where created_at < now() - interval '24 hours' order by created_at limit ${limit}) old
      where (k.organization_id, k.api_key_id, k.key) = (old.organization_id, old.api_key_id, old.key)
        -- It may have been reclaimed since.
        and k.created_at < now() - interval '24 hours'`
  })

export const purgeSessions = (db: Database) => purgeExpired(db, 'sessions', 'token_hash')

/** Codes and tokens, apps that no longer have any, and apps that registered themselves and are not used. */
export async function purgeConnections(db: Database): Promise<number> {
  const tokens = await purgeExpired(db, 'connection_tokens', 'token_hash')
  return tokens + (await purgeExpired(db, 'connections', 'id')) + (await purgeExpired(db, 'oauth_clients', 'id'))
}

function purgeExpired(db: Database, table: string, key: string): Promise<number> {
  const [rows, id] = [sql.ref(table), sql.ref(key)]
  return inBatches(db, 1000, 3000, (limit) => {
    return sql`delete from ${rows} where ${id} in (
      select ${id} from ${rows} where expires_at < now() order by expires_at limit ${limit}) and expires_at < now()`
  })
}

/** Links to sign in: how many an address was mailed counts for an hour. */
export const purgeLinks = (db: Database) =>
  inBatches(db, 1000, 3000, (limit) => {
    return sql`delete from sign_in_links where token_hash in (
      select token_hash from sign_in_links where created_at < now() - interval '1 hour' order by created_at limit ${limit})`
  })

export const purgeInvitations = (db: Database) =>
  inBatches(db, 1000, 3000, (limit) => {
    return sql`delete from invitations i using (
        select organization_id, id from invitations where expires_at < now() order by expires_at limit ${limit}) old
      where (i.organization_id, i.id) = (old.organization_id, old.id) and i.expires_at < now()`
  })

/** Addresses from which somebody tried to sign in, once their window is over. */
export const purgeSignInAttempts = (db: Database) =>
  inBatches(db, 1000, 3000, (limit) => {
    const isOver = sql`since < now() - make_interval(secs => ${windowSeconds})`
    return sql`delete from sign_in_attempts
      where source in (select source from sign_in_attempts where ${isOver} order by since limit ${limit})
        -- A new window may have begun.
        and ${isOver}`
  })

export const purgeQuestions = (db: Database) => purgeMonthOld(db, 'question_log', 'agent_id', 'asked_at')

/** What is remembered of calls, an hour later. */
export const purgeCallTurns = (db: Database) =>
  inBatches(db, 1000, 5000, (limit) => {
    return sql`delete from call_turns t using (
        select organization_id, agent_id, call_id, id from call_turns
        where asked_at < now() - interval '1 hour' order by asked_at limit ${limit}) old
      where (t.organization_id, t.agent_id, t.call_id, t.id) = (old.organization_id, old.agent_id, old.call_id, old.id)`
  })

export const purgeDeliveries = (db: Database) => purgeMonthOld(db, 'webhook_deliveries', 'webhook_id', 'created_at')

/** Rows of a table with a key of organization, `parent` and id. */
function purgeMonthOld(db: Database, table: string, parent: string, time: string): Promise<number> {
  const [rows, parentId, at] = [sql.ref(table), sql.ref(parent), sql.ref(time)]
  return inBatches(db, 1000, 5000, (limit) => {
    return sql`delete from ${rows} r using (
        select organization_id, ${parentId}, id from ${rows}
        where ${at} < now() - interval '30 days' order by ${at} limit ${limit}) old
      where (r.organization_id, r.${parentId}, r.id) = (old.organization_id, old.${parentId}, old.id)`
  })
}

/** What documents were, a year after it was replaced, and all of organizations that keep none. */
export const purgeRevisions = (db: Database) =>
  inBatches(db, 200, 5000, (limit) => {
    return sql`delete from document_revisions r using (
        (select organization_id, document_id, revision from document_revisions
          where replaced_at < now() - interval '1 year' order by replaced_at limit ${limit})
        union
        (select k.organization_id, k.document_id, k.revision
          from organizations o join document_revisions k on k.organization_id = o.id
          where not o.keep_revisions limit ${limit})) dropped
      where (r.organization_id, r.document_id, r.revision) = (dropped.organization_id, dropped.document_id, dropped.revision)`
  })

/** Documents whose time in the trash is over, and of each agent all there but the newest. Chunks, vectors, revisions and files go with them. */
export const purgeTrash = (db: Database, maxPerAgent = 10_000) =>
  inBatches(db, 20, 5000, (limit) => {
    return sql`delete from documents d using (
        (select organization_id, id from documents
          where deleted_at < now() - make_interval(days => ${trashDays}) order by deleted_at limit ${limit})
        union
        select growing.organization_id, surplus.id
        from (select distinct organization_id, agent_id from documents where deleted_at > now() - interval '10 minutes') growing,
          lateral (select id from documents
            where organization_id = growing.organization_id and agent_id = growing.agent_id and deleted_at is not null
            order by deleted_at desc offset ${maxPerAgent} limit ${limit}) surplus
        limit ${limit}) old
      where (d.organization_id, d.id) = (old.organization_id, old.id) and d.deleted_at is not null`
  })

/** Vectors of questions that are a month old, and of each organization all but the newest. */
export const purgeQueryVectors = (db: Database, maxPerOrganization = 10_000) =>
  inBatches(db, 1000, 5000, (limit) => {
    return sql`delete from query_vectors q using (
        (select organization_id, key from query_vectors
          where created_at < now() - interval '30 days' order by created_at limit ${limit})
        union
        select growing.organization_id, surplus.key
        from (select distinct organization_id from query_vectors where created_at > now() - interval '10 minutes') growing,
          lateral (select key from query_vectors where organization_id = growing.organization_id
            order by created_at desc offset ${maxPerOrganization} limit ${limit}) surplus
        limit ${limit}) dropped
      where (q.organization_id, q.key) = (dropped.organization_id, dropped.key)`
  })

/** Deletes batch after batch, a transaction each, until one is not full or so much time has passed. @returns how many rows */
async function inBatches(
  db: Database,
  rowsPerBatch: number,
  maxMilliseconds: number,
  deletion: (limit: number) => RawBuilder<unknown>,
): Promise<number> {
  const started = performance.now()
  let purged = 0
  for (;;) {
    const { numAffectedRows } = await deletion(rowsPerBatch).execute(db)
    purged += Number(numAffectedRows)
    if (Number(numAffectedRows) < rowsPerBatch || performance.now() - started > maxMilliseconds) return purged
  }
}

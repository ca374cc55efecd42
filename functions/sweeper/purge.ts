import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { trashDays } from '../../shared/documents/client/trash.ts'
import { windowSeconds } from '../../shared/organizations/sessions.ts'

interface Outdated {
  table: string
  /** The columns of its primary key. */
  key: string
  /** The column of the time that must be over, and for how long. */
  at: string
  interval: string
  rowsPerBatch?: number
  maxMilliseconds?: number
}

const expired = { at: 'expires_at', interval: '0', maxMilliseconds: 3000 }

/** The tables whose rows are deleted once their time is over. */
const outdated = {
  // 30,000 may arrive a minute. A request holds its key's row while it waits for a document's.
  keys_purged: {
    ...{ table: 'idempotency_keys', key: 'organization_id, api_key_id, key', at: 'created_at', interval: '24 hours' },
    ...{ rowsPerBatch: 5000, maxMilliseconds: 15_000 },
  },
  sessions_purged: { table: 'sessions', key: 'token_hash', ...expired },
  tokens_purged: { table: 'connection_tokens', key: 'token_hash', ...expired },
  connections_purged: { table: 'connections', key: 'organization_id, id', ...expired },
  clients_purged: { table: 'oauth_clients', key: 'id', ...expired },
  // The next one to the same address has to wait for five minutes, even after one that was withdrawn.
  invitations_purged: { table: 'invitations', key: 'organization_id, id', ...expired, interval: '5 minutes' },
  // The number of links mailed to an address counts for an hour.
  links_purged: { table: 'sign_in_links', key: 'token_hash', at: 'created_at', interval: '1 hour' },
  browsers_purged: { table: 'known_browsers', key: 'person_id, browser_hash', at: 'used_at', interval: '90 days' },
  sign_in_attempts_purged: {
    table: 'sign_in_attempts',
    key: 'source',
    at: 'since',
    interval: `${windowSeconds} seconds`,
  },
  questions_purged: {
    table: 'question_log',
    key: 'organization_id, agent_id, id',
    at: 'asked_at',
    interval: '30 days',
  },
  deliveries_purged: {
    ...{ table: 'webhook_deliveries', key: 'organization_id, webhook_id, id', at: 'created_at', interval: '30 days' },
  },
  // An instance that has not looked for so long loads the agent anew.
  packs_purged: {
    table: 'packs',
    key: 'organization_id, agent_id, document_id',
    at: 'unserved_at',
    interval: '7 days',
  },
} as const satisfies Record<string, Outdated>

export const purges = Object.fromEntries(
  Object.entries<Outdated>(outdated).map(([name, rows]) => [name, (db: Database) => purgeOutdated(db, rows)]),
) as Record<keyof typeof outdated, (db: Database) => Promise<number>>

function purgeOutdated(
  db: Database,
  { table, key, at, interval, rowsPerBatch = 1000, maxMilliseconds = 5000 }: Outdated,
): Promise<number> {
  const columns = key.split(', ')
  const of = (row: string) => sql.join(columns.map((column) => sql.ref(`${row}.${column}`)))
  const isOver = sql`${sql.ref(at)} < now() - ${interval}::interval`
  return inBatches(db, rowsPerBatch, maxMilliseconds, (limit) => {
    // Checks the time again, since a row may have been renewed meanwhile.
    return sql`delete from ${sql.table(table)} r using (
        select ${sql.raw(key)} from ${sql.table(table)} where ${isOver} order by ${sql.ref(at)} limit ${limit}) old
      where (${of('r')}) = (${of('old')}) and ${isOver}`
  })
}

/** Deletes revisions a year after they were replaced, and all revisions of organizations that keep none. */
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

/** Deletes documents whose time in the trash is over, and all but each agent's newest there, with their chunks, vectors, revisions and files. */
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

/** Deletes month-old vectors of questions, and all but each organization's newest. */
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

/** Deletes batch after batch, a transaction each, until one is not full or the time is over. @returns the number of rows */
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

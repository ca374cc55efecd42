import { type Expression, type Selectable, sql, type UpdateType } from 'kysely'
import { columnsOf } from '../database/columns.ts'
import type { Tables } from '../database/tables.ts'
import type { Origin } from './message.ts'

interface Figures {
  /** Longer than a live worker goes without renewing its lease, so that it keeps its row. */
  leaseSeconds: number
  /** Leases in a row that may end without success. */
  maxAttempts: number
  /** A message counts as lost if no worker has claimed its row by then. The column's default is the same number. */
  lostAfterSeconds: number
}

/** The new values of a row's columns; an undefined one stays as it is. */
export type Change<T extends keyof Tables> = {
  readonly [C in keyof Tables[T]]?: UpdateType<Tables[T][C]> | Expression<UpdateType<Tables[T][C]>>
}

export const now = sql<Date>`now()`
export const fromNow = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`

export const requestedBy = ({ requestId, by }: Origin) => ({
  request_id: requestId ?? null,
  requested_by: by ?? null,
})

/**
 * Background work, a table's row each: a message brings it to a worker, whose lease fences its writes. Deliveries of webhooks have no
 * messages: their Lambda looks for due ones itself, and one column is both their schedule and the end of their lease.
 */
export function workKind<T extends 'documents' | 'sources'>(table: T, alias: string, figures: Figures) {
  const w = columnsOf(table, alias)
  const leaseEnd = fromNow(figures.leaseSeconds)
  /** The message of a worker that dies counts as lost when its lease is over. */
  const renewed = { lease_expires_at: leaseEnd, resend_at: leaseEnd }
  const isNewClaim = (leaseToken: Expression<string | null>) =>
    sql<number>`(${w.lease_token} is distinct from ${leaseToken})::int`
  return {
    ...figures,
    isNewClaim,
    /** The holder of the lease renews it without another attempt, so a claim may be repeated. */
    claimed: (leaseToken: Expression<string | null>) => ({
      lease_token: leaseToken,
      ...renewed,
      attempt: sql<number>`${w.attempt} + ${isNewClaim(leaseToken)}`,
    }),
    renewed,
    released: { lease_token: null, lease_expires_at: null },
    isLeaseExpired: sql<boolean>`(${w.lease_expires_at} < now())`,
    /** Goes with a message that is sent now and arrives after the delay. */
    sent: (delaySeconds = 0) => ({ resend_at: fromNow(delaySeconds + figures.lostAfterSeconds) }),
    /** The statement that changes the rows for which the guard is true. @param columns those that it returns */
    update<C extends keyof Tables[T] & string = 'id'>(
      guard: Expression<unknown>,
      change: Change<T>,
      columns: readonly C[] = ['id' as C],
    ) {
      const values = Object.entries(change).flatMap(([column, value]) =>
        value === undefined ? [] : sql`${sql.id(column)} = ${value}`,
      )
      return sql<Pick<Selectable<Tables[T]>, C & keyof Selectable<Tables[T]>>>`
        update ${sql.table(table)} as ${sql.id(alias)} set ${sql.join(values)} where ${guard}
        returning ${sql.join(columns.map((column) => w[column]))}`
    },
  }
}

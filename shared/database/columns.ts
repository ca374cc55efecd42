import { type RawBuilder, type SelectType, sql } from 'kysely'
import type { Tables } from './tables.ts'

type Columns<T extends keyof Tables> = { readonly [C in keyof Tables[T]]: RawBuilder<SelectType<Tables[T][C]>> }

/** Typed columns for raw SQL: `columnsOf('documents', 'd').revision` is `"d"."revision"`; an unknown column does not compile. */
export function columnsOf<T extends keyof Tables>(_table: T, alias: string): Columns<T> {
  return new Proxy({} as Columns<T>, { get: (_, column: string) => sql.ref(`${alias}.${column}`) })
}

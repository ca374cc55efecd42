import { type RawBuilder, type SelectType, sql } from 'kysely'
import type { Tables } from './tables.ts'

type Columns<T extends keyof Tables> = { readonly [C in keyof Tables[T]]: RawBuilder<SelectType<Tables[T][C]>> }

/**
 * The columns of a table under an alias, for raw SQL: `columnsOf('documents', 'd').revision` is `"d"."revision"` and has the
 * column's type, so a statement that names a column which is not in `tables.ts` does not compile.
 */
export function columnsOf<T extends keyof Tables>(_table: T, alias: string): Columns<T> {
  return new Proxy({} as Columns<T>, { get: (_, column: string) => sql.ref(`${alias}.${column}`) })
}

import type { ColumnType, JSONColumnType } from 'kysely'

export type Id = string
export type Time = ColumnType<Date, Date | string | undefined, Date | string>
export type TimeOrNull = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
export type Json = JSONColumnType<Record<string, unknown>, string, string>

import { sql } from 'kysely'
import { sketchOf } from '../embedding/sketch.ts'
import { toStored } from '../embedding/stored-vectors.ts'

export type VectorRow = { id: string; exponent: number; embedding: string; sketch: string }

export function toVectorRow(id: string, vector: Float32Array): VectorRow {
  return { id, ...toStored(vector), sketch: `\\x${Buffer.from(sketchOf(vector)).toString('hex')}` }
}

type OfDocument = VectorRow & { document_id: string }

/** Vectors as the rows `made` of a statement, sent as one string because JSON would be parsed twice. */
export function vectorRows(rows: OfDocument[]) {
  const columns = {
    document_id: sql`${rows.map((row) => row.document_id)}::uuid[]`,
    id: sql`${rows.map((row) => row.id)}::uuid[]`,
    exponent: sql`${rows.map((row) => row.exponent)}::smallint[]`,
    embedding: sql`string_to_array(${rows.map((row) => row.embedding).join(';')}, ';')::halfvec[]`,
    sketch: sql`string_to_array(${rows.map((row) => row.sketch).join(';')}, ';')::bytea[]`,
  } satisfies Record<keyof OfDocument, unknown>
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)))
  return sql`unnest(${sql.join(Object.values(columns))}) made(${names})`
}

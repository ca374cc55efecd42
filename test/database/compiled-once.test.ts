import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { compiledOnce } from '../../shared/database/compiled-once.ts'
import { Database } from '../../shared/database/database.ts'

interface Wanted {
  id: string
  maxIndex: number | undefined
  isEmbedded: boolean
}

const db = new Database({ url: () => 'postgres://nowhere', timeoutSeconds: 1 })

test('a statement is built once for each shape, and has the values of each call', () => {
  const built: string[] = []
  const chunks = compiledOnce<Wanted, { chunk_index: number }>((db, { id, maxIndex, isEmbedded }) => {
    built.push(`${maxIndex === undefined ? 'all' : 'some'} ${isEmbedded}`)
    return db
      .selectFrom('chunks as c')
      .select('c.chunk_index')
      .where('c.document_id', '=', id)
      .$if(maxIndex !== undefined, (query) => query.where('c.chunk_index', '<=', maxIndex!))
      .where(isEmbedded ? sql<boolean>`c.vector_id is not null` : sql<boolean>`true`)
      .where('c.document_id', '<>', id)
      .limit(7)
  })
  const compile = (wanted: Wanted) => {
    const { sql: text, parameters } = chunks(wanted).compile(db)
    return { text: text.replace(/.* where /, ''), parameters }
  }
  const all = { id: 'a', maxIndex: undefined, isEmbedded: false }
  const text = '"c"."document_id" = $1 and true and "c"."document_id" <> $2 limit $3'
  expect(compile(all)).toEqual({ text, parameters: ['a', 'a', 7] })
  expect(compile({ ...all, id: 'b' })).toEqual({ text, parameters: ['b', 'b', 7] })
  const bounded = '"c"."document_id" = $1 and "c"."chunk_index" <= $2 and true and "c"."document_id" <> $3 limit $4'
  expect(compile({ ...all, maxIndex: 0 })).toEqual({ text: bounded, parameters: ['a', 0, 'a', 7] })
  expect(compile({ ...all, maxIndex: 5 })).toEqual({ text: bounded, parameters: ['a', 5, 'a', 7] })
  expect(compile({ ...all, isEmbedded: true }).text).toContain('c.vector_id is not null')
  expect(compile({ ...all, id: 'c' })).toEqual({ text, parameters: ['c', 'c', 7] })
  expect(built).toEqual(['all false', 'some false', 'all true'])
})

import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { recordset } from '../../shared/database/recordset.ts'
import { chunkTerms } from '../../shared/terms/indexed-terms.ts'
import { termsVersion } from '../../shared/terms/packed-terms.ts'

const documentsPerSweep = 500
const chunksPerPart = 200

interface Chunk {
  revision: number
  chunk_index: number
  content: string
  headings: string[] | null
}

/**
 * Cuts the terms of served documents again that an older release has cut, document by document, while it may go on.
 * @returns the number of documents
 */
export async function renewTerms(db: Database, mayGoOn: () => boolean): Promise<number> {
  const { old } = await db.batch({
    old: sql<{ organization_id: string; document_id: string }>`select organization_id, document_id from packs
      where terms_version < ${termsVersion} limit ${documentsPerSweep}`,
  })
  let renewed = 0
  for (const { organization_id, document_id } of old) {
    if (!mayGoOn()) break
    const isOld = sql`c.organization_id = ${organization_id} and c.document_id = ${document_id}
      and get_byte(c.terms, 0) < ${termsVersion}`
    for (let count = chunksPerPart; count === chunksPerPart; ) {
      const { chunks } = await db.batch({
        chunks: sql<Chunk>`select revision, chunk_index, content, metadata -> 'headings' as headings from chunks c
          where ${isOld} order by revision, chunk_index limit ${chunksPerPart}`,
      })
      const cut = recordset('cut', { revision: 'int', chunk_index: 'int', terms: 'bytea' }, chunks.map(toCut))
      await db.batch({
        cut: sql`update chunks c set terms = cut.terms from ${cut}
          where ${isOld} and (c.revision, c.chunk_index) = (cut.revision, cut.chunk_index)`,
      })
      count = chunks.length
    }
    await db.batch({ renewed: sql`select renew_pack(${organization_id}, ${document_id})` })
    renewed++
  }
  return renewed
}

function toCut({ revision, chunk_index, content, headings }: Chunk) {
  return { revision, chunk_index, terms: `\\x${chunkTerms(content, headings ?? []).toString('hex')}` }
}

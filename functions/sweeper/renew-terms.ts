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
  /** Null for a client's own chunk, but anything for one that is served until its text is processed. */
  headings: unknown
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
        // The words of a client's own chunk are those of its content.
        chunks: sql<Chunk>`select c.revision, c.chunk_index, c.content,
            case when d.managed_by = 'service' or c.revision < d.revision then c.metadata -> 'headings' end as headings
          from chunks c join documents d on d.organization_id = c.organization_id and d.id = c.document_id
          where ${isOld} order by c.revision, c.chunk_index limit ${chunksPerPart}`,
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
  const above = Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : []
  return { revision, chunk_index, terms: `\\x${chunkTerms(content, above).toString('hex')}` }
}

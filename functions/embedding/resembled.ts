import { sql } from 'kysely'
import { columnsOf } from '../../shared/database/columns.ts'
import type { Database } from '../../shared/database/database.ts'
import { isOfAgent } from '../../shared/database/scope.ts'
import { isManagedByService } from '../../shared/documents/processing/guards.ts'
import { isAlike, likenessLines, likenessLinesOf, likenessName } from '../../shared/documents/text/likeness.ts'
import { fileNameOfKey, keyOfUrl } from '../../shared/files/file-url.ts'
import type { RevisionClaim } from './claim.ts'

const maxNamesCompared = 2_000
const maxTextsCompared = 100
const maxBytesCompared = 262_144

const d = columnsOf('documents', 'd')
const text = sql<string>`coalesce(${d.content}, ${d.extracted_text})`

interface Named {
  id: string
  title: string
  source_url: string | null
}

/** The id of an older document of the agent with nearly the same name or text, the likest if there are several. */
export async function findResembled(db: Database, claim: RevisionClaim): Promise<string | undefined> {
  const bytes = Buffer.byteLength(claim.content)
  const lines = bytes > maxBytesCompared ? [] : likenessLines(claim.content)
  // Only older documents, so that no two wait for each other.
  const isCandidate = sql<boolean>`(${isOfAgent(claim)} and ${d.id} < ${claim.documentId} and ${isManagedByService}
    and ${d.content_hash} is not null and ${d.resembles} is null)`
  const { own, named, compared } = await db.batch({
    own: sql<Named>`select d.id, d.title, d.source_url from documents d
      where ${d.organization_id} = ${claim.organizationId} and ${d.id} = ${claim.documentId}`,
    named: sql<Named>`select d.id, d.title, d.source_url from documents d
      where ${isCandidate} order by d.id desc limit ${maxNamesCompared}`,
    compared: sql<{ id: string; common: number; total: number }>`
      select near.id, count(*) filter (where line = any(${lines}::text[]))::int as common, count(*)::int as total
      from (
        select d.id, ${text} as text from documents d
        where ${isCandidate} and octet_length(${text}) between ${Math.floor(bytes / 3)} and ${Math.min(bytes * 3, maxBytesCompared)}
        order by abs(octet_length(${text}) - ${bytes}) limit ${maxTextsCompared}
      ) near cross join lateral ${likenessLinesOf(sql`near.text`)} its
      group by near.id`,
  })
  const names = new Set(own.flatMap(namesOf))
  const likeness = new Map(named.filter((each) => names.has(namesOf(each)[0])).map(({ id }) => [id, 1]))
  for (const { id, common, total } of compared) {
    const all = lines.length + total - common
    if (likeness.has(id) || isAlike(common, all)) likeness.set(id, common / all + (likeness.get(id) ?? 0))
  }
  return [...likeness].toSorted(([, a], [, b]) => b - a)[0]?.[0]
}

/** The names of its file, if it has one, and of its title. */
function namesOf({ title, source_url }: Named): (string | undefined)[] {
  const file = source_url === null ? [] : [likenessName(fileNameOfKey(keyOfUrl(source_url)).replace(/\.\w+$/, ''))]
  return [...file, likenessName(title)].filter((name) => name !== undefined)
}

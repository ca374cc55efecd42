import { maxBytes, maxPassages, type Passage } from '../../functions/mcp/passages.ts'
import type { Place } from '../../functions/mcp/schemas.ts'
import { servedDocuments } from '../../shared/retrieval/index/agent-index.ts'
import { contains, type Knowledge, type LocalDocument, textOf } from './knowledge.ts'

/** The passage at a place, or the document's first one, and as many of its neighbours as fit, in order, as `findPassages` selects them. */
export function passagesAt(
  knowledge: Knowledge,
  { documentId, index }: Place,
  metadata: Record<string, unknown> = {},
): Passage[] {
  const own = knowledge.documents.get(documentId)
  const served = knowledge.index.layers.flatMap(servedDocuments).find((each) => each.documentId === documentId)
  const wanted = index === undefined ? 0 : (own?.places.indexOf(index) ?? -1)
  const now = Date.now()
  if (!own || !served || served.validFrom > now || now >= served.validUntil) return []
  if (own.places[wanted] === undefined || !contains(own.metadata, metadata)) return []
  return around(own, wanted).map((i): Passage => {
    const { content: text, metadata } = textOf(own, i)
    const { start = null, end = null } = (own.isCut ? metadata : {}) as { start?: number; end?: number }
    const [previous = null, next = null] = [own.places[i - 1], own.places[i + 1]]
    return { heading: served.title, index: own.places[i]!, text, start, end, previous, next }
  })
}

/** The chunks of a document from the nearest on, of two equally near ones the later first, while they fit; in order. */
function around(own: LocalDocument, wanted: number): number[] {
  const found = [wanted]
  let bytes = bytesOf(own, wanted)
  for (let distance = 1; distance <= maxPassages; distance++)
    for (const i of [wanted + distance, wanted - distance]) {
      if (own.places[i] === undefined) continue
      bytes += bytesOf(own, i)
      if (bytes > maxBytes) return found.sort((one, other) => one - other)
      found.push(i)
    }
  return found.sort((one, other) => one - other)
}

const bytesOf = (own: LocalDocument, i: number) => Buffer.byteLength(textOf(own, i).content)

/** The `chunk_id` at a place; undefined if search does not serve it. */
export function chunkIdAt({ documents }: Knowledge, { documentId, index }: Place): string | undefined {
  const own = documents.get(documentId)
  const i = index === undefined ? -1 : (own?.places.indexOf(index) ?? -1)
  return own && i >= 0 ? textOf(own, i).chunk_id : undefined
}

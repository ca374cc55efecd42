import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import * as v from 'valibot'
import { ApiError } from '../../shared/http/errors.ts'
import { ifNoneMatch } from '../../shared/http/etag.ts'
import { agentNotFound } from '../../shared/http/not-found.ts'
import { encodeCursor, readAfter } from '../../shared/http/pagination.ts'
import { type RouterOptions, router } from '../../shared/http/router.ts'
import { uuid } from '../../shared/ids.ts'
import { countBytes, findBytes, requireBytes } from './bandwidth.ts'
import { type DocumentRow, selectPart, selectRemoved, wholeDocument } from './read-part.ts'
import {
  formatVersion,
  mediaType,
  type SnapshotDocument,
  type SnapshotPart,
  snapshotExample,
  snapshotPart,
  snapshotQuery,
} from './schemas.ts'
import { versionWatch } from './watch.ts'

const compress = promisify(gzip)

const place = v.strictTuple([v.number(), v.number(), v.number(), uuid, v.number()])

export function snapshotApp({ db, now }: RouterOptions) {
  const newerThan = versionWatch()
  return router('Search', { db, now }).get(
    '/v1/agents/:agentId/knowledge-base/snapshot',
    {
      operationId: 'getSnapshot',
      summary: 'Get all that search serves',
      description:
        'What search keeps of an agent, with texts and vectors, for a program that searches in its own process. Comes in parts of at most 4 MB, each with its `Content-Digest`: four bytes, the highest first, have the length of a gzip file of JSON (`SnapshotPart`); after that file come the vectors of its chunks, in their order, each of 1,536 16-bit floats, the lowest byte first. Their scale is arbitrary. Apply a snapshot once you have its last part: then each document is there in one revision or not at all. Afterwards ask for changes with `since`, and `wait` for the next. Removed documents are listed for seven days; for an older version you get 410, and start again without `since`.',
      permission: 'kb:read',
      query: snapshotQuery,
      headers: ifNoneMatch,
      responses: {
        200: {
          description: 'A part of the snapshot, compressed',
          schema: snapshotPart,
          example: snapshotExample,
          compressedAs: mediaType,
          headers: ['ETag', 'Content-Digest', 'Cuecard-Keeps-Questions'],
        },
        304: { description: 'Nothing has changed', headers: ['ETag', 'Cuecard-Keeps-Questions'] },
      },
      errors: ['snapshot_expired'],
    },
    async ({ c, key, confirmKey, db, scope, query: { since, wait = 0, cursor }, headers }) => {
      const list = `snapshot ${scope.agentId}`
      const after = readAfter(key, list, cursor, place)
      const [from, begun, version, documentId, chunkIndex] = after ?? [since ?? 0]
      const position = after && { version: version!, documentId: documentId!, chunkIndex: chunkIndex! }
      const tags = headers['if-none-match']
      c.header('cuecard-keeps-questions', String(key.logsQuestions))
      if (!after && (since !== undefined || tags)) {
        const started = performance.now()
        const current = await newerThan(db, scope, since, wait)
        c.set('waitedMilliseconds', performance.now() - started)
        // It may have been revoked meanwhile.
        if (wait > 0) await confirmKey()
        if (current === since || tags === '*' || tags?.includes(String(current))) {
          c.header('etag', `"${current}"`)
          return c.body(null, 304)
        }
      }
      const { meters, removed, rows } = await db.batch({
        meters: findBytes(scope),
        // Before the part, which may have a document that was restored meanwhile, and once: each row of the part would repeat it.
        removed: selectRemoved(scope, from),
        rows: selectPart(scope, { since: from, begun }, position),
      })
      const {
        served_version: current,
        purged_version: purged,
        name,
        time_zone,
        holidays,
        model,
      } = rows[0] ?? agentNotFound()
      if (from > current || (from > 0 && Math.max(from, version ?? 0) < purged)) throw expired()
      requireBytes(meters)
      const documents = rows.filter((row) => row.document_id !== null)
      const last = documents.at(-1)
      const isLast = !last || (last.is_last && last.is_whole)
      const lastIndex = last?.is_whole ? wholeDocument : last?.last_index
      const next = isLast ? null : [from, begun ?? current, last.version, last.document_id, lastIndex!]
      const part: SnapshotPart = {
        format: formatVersion,
        agent_id: scope.agentId,
        since: from,
        version: current,
        agent: { name, time_zone, holidays, model },
        removed: removed.map(({ document_id }) => document_id),
        documents: documents.map(toDocument),
        next_cursor: next && encodeCursor(key.cursorKey, list, next),
      }
      const json = await compress(JSON.stringify(part), { level: 1 })
      const length = Buffer.alloc(4)
      length.writeUInt32BE(json.length)
      const body = Buffer.concat([length, json, ...documents.map(toVectors)])
      await countBytes(db, scope, body.length)
      c.header('etag', `"${current}"`)
      c.header('content-type', mediaType)
      c.header('content-digest', `sha-256=:${createHash('sha256').update(body).digest('base64')}:`)
      return c.body(new Uint8Array(body))
    },
  ).app
}

function toDocument(row: DocumentRow): SnapshotDocument {
  const { document_id, version, revision, title, url, metadata, valid_from, valid_until, is_cut, is_whole, chunks } =
    row
  if (revision === null) return { document_id, version, revision }
  const of = { title, url, metadata, valid_from, valid_until, is_cut, is_whole }
  return { document_id, version, revision, ...of, chunks: chunks ?? [] }
}

/** The chunks' vectors, the lowest byte of each number first. */
function toVectors({ vectors }: DocumentRow): Buffer {
  return Buffer.from(vectors ?? '', 'base64').swap16()
}

function expired(): ApiError {
  return new ApiError(
    'snapshot_expired',
    'The version is not one of the agent’s, or what was removed since it is no longer known. Ask without `since`.',
  )
}

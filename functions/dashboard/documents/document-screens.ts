import { Hono } from 'hono'
import { html } from 'hono/html'
import * as v from 'valibot'
import { listChunks } from '../../../shared/documents/chunks.ts'
import type { Bucket } from '../../../shared/files/bucket.ts'
import { fileNameOfKey, keyOfUrl } from '../../../shared/files/file-url.ts'
import type { ApiEnv } from '../../../shared/http/api.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import { documentPath } from '../../../shared/ids.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import type { Screen } from '../screen.ts'
import { documentActions, documentView, passagesPerPage } from './document-view.ts'
import { findOverview, tagOf } from './overview.ts'
import { documentPagePath, placeOf } from './place.ts'
import { needsFile } from './state.ts'
import { readBeginning } from './text/text.ts'
import { uploadView } from './upload/view.ts'

const number = v.pipe(v.string(), v.regex(/^\d{1,7}$/), v.transform(Number), v.minValue(1))
const documentQuery = v.object({
  from: v.fallback(v.optional(number), undefined),
  /** Number of a passage that the page is to show, and to mark. */
  passage: v.fallback(v.optional(number), undefined),
  seen: v.optional(v.string()),
})

export function documentScreens(screen: Screen, bucket: Pick<Bucket, 'presignGet'>) {
  return new Hono<ApiEnv>()
    .get(
      documentPagePath,
      screen({ permission: 'kb:read', params: documentPath }, async ({ c, db, session, params, isPartial, may }) => {
        const scope = { organizationId: session.organizationId, ...params }
        const { seen, passage, from = firstOfPage(passage ?? 1) } = v.parse(documentQuery, c.req.query())
        const [agent, document, { chunks, hasMore }] = await Promise.all([
          getAgent(db, scope),
          findOverview(db, scope),
          listChunks(db, scope, { limit: passagesPerPage, after: from - 2 }),
        ])
        if (isPartial && seen === tagOf(document)) return c.body(null, 204)
        const beginning = chunks.length > 0 ? null : await readBeginning(db, scope)
        const place = placeOf(params, may)
        const hasUpload = place.mayWrite && !isPartial && needsFile(document) !== undefined
        const shown = { ...place, document, chunks, hasMore, from, passage, beginning, hasUpload }
        if (isPartial) return { fragment: documentView(shown) }
        return {
          title: document.title,
          place: 'agents',
          agent: { id: agent.id, name: agent.name, tab: 'documents' },
          crumbs: [],
          actions: documentActions(shown),
          content: html`${hasUpload && uploadView(place.base, document.id)}
${documentView(shown)}`,
          modules: ['live.js', ...(hasUpload ? ['upload.js'] : [])],
        }
      }),
    )
    .get(
      `${documentPagePath}/file`,
      screen({ permission: 'kb:read', params: documentPath }, async ({ c, db, session, params }) => {
        const { source_url } = await findOverview(db, { organizationId: session.organizationId, ...params })
        if (source_url === null) throw new ApiError('document_not_found', 'The document has no file.')
        const key = keyOfUrl(source_url)
        return c.redirect(bucket.presignGet(key, fileNameOfKey(key)))
      }),
    )
}

function firstOfPage(passage: number): number {
  return passage - ((passage - 1) % passagesPerPage)
}

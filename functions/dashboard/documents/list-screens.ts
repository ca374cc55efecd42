import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import type { AgentScope } from '../../../shared/database/scope.ts'
import type { Status } from '../../../shared/database/tables.ts'
import { ApiError } from '../../../shared/http/errors.ts'
import { decodeCursor, encodeCursor } from '../../../shared/http/pages.ts'
import { agentPath, documentId, uuid } from '../../../shared/ids.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import type { Session } from '../../../shared/organizations/sessions.ts'
import { oneLine } from '../forms.ts'
import type { Screens } from '../screen.ts'
import { trashPage } from '../trash.ts'
import { type Changes, changesView, type List, type ListQuery, listView, searchForm } from './list-view.ts'
import { findOverviews, type Group, groups, listOverviews, tagOf } from './overview.ts'
import { listPath, type Place, placeOf } from './place.ts'
import { isInWork } from './state.ts'
import { uploadView } from './upload.ts'

const rowsPerPage = 25

/** Invalid values count as absent: an address may be cut off or typed. */
const listQuery = v.object({
  q: v.fallback(v.optional(v.pipe(v.string(), v.transform(oneLine), v.maxLength(200))), undefined),
  show: v.fallback(v.optional(v.picklist(Object.keys(groups) as Group[])), undefined),
  after: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(1000))), undefined),
  /** Asks what has changed of the documents in `seen`. */
  live: v.optional(v.string()),
})
const sortKey = v.strictTuple([v.string(), uuid])

/** A document's id, and the tag of what the page shows (`tagOf`). */
const seenDocument = v.pipe(
  v.string(),
  v.transform((text) => /^([^.]+)\.(.+)$/.exec(text)?.slice(1)),
  v.strictTuple([documentId, v.string()]),
)

export function addListScreens(screens: Screens) {
  screens.get(
    listPath,
    { permission: 'kb:read', params: agentPath },
    async ({ c, db, session, scope, isPartial, may }) => {
      const place = placeOf(scope, may)
      const { live, ...query } = v.parse(listQuery, c.req.query())
      if (isPartial && live) {
        const changes = await readChanges(db, scope, c.req.queries('seen') ?? [])
        return changes ? { fragment: changesView({ ...place, query }, changes) } : c.body(null, 204)
      }
      const { agent, ...list } = await readList(db, session, scope, place, query)
      if (isPartial) return { fragment: listView(list) }
      const { base, mayWrite } = place
      return {
        title: 'Documents',
        lead: 'Your agent answers callers from these documents.',
        agent: { ...agent, tab: 'documents' },
        ...(mayWrite && {
          actions: html`<a class="button plain" href="${base}/new">Write text</a>`,
        }),
        content: html`${mayWrite && uploadView(base)}
${searchForm(list)}
${listView(list)}
${mayWrite && html`<p><a href="${trashPage(scope.agentId)}">Trash</a></p>`}`,
        modules: mayWrite ? ['upload.js', 'select.js'] : [],
      }
    },
  )
}

/** What has changed since the page was `seen`; undefined if nothing has. */
async function readChanges(db: Database, scope: AgentScope, seen: string[]): Promise<Changes | undefined> {
  const { success, output } = v.safeParse(v.array(seenDocument), seen)
  const tags = new Map<string, string>(success ? output : [])
  const found = await findOverviews(db, scope, [...tags.keys()])
  const changed = found.filter((document) => tags.get(document.id) !== tagOf(document))
  const gone = [...tags.keys()].filter((id) => !found.some((document) => document.id === id))
  const isSettled = !found.some(isInWork)
  if (changed.length + gone.length === 0 && !isSettled) return undefined
  const { documents } = await getAgent(db, scope)
  return { changed, gone, isSettled, counts: countsOf(documents) }
}

async function readList(db: Database, session: Session, scope: AgentScope, place: Place, query: ListQuery) {
  const name = `dashboard documents ${scope.agentId} ${query.show ?? ''} ${query.q ?? ''}`
  const [agent, { documents, hasMore }] = await Promise.all([
    getAgent(db, scope),
    listOverviews(db, scope, {
      words: query.q?.split(/\s+/).filter(Boolean) ?? [],
      group: query.show,
      limit: rowsPerPage,
      after: decodeAfter(session, name, query.after),
    }),
  ])
  const last = documents.at(-1)
  const next =
    hasMore && last ? encodeCursor(session.cursorKey, name, [last.created_at.toISOString(), last.id]) : undefined
  return { ...place, agent, query, documents, next, counts: countsOf(agent.documents) }
}

/** A cursor of another filter, or a mutilated one, gives the first page. */
function decodeAfter(session: Session, list: string, cursor: string | undefined): [string, string] | undefined {
  try {
    return cursor === undefined ? undefined : decodeCursor(session.cursorKey, list, cursor, sortKey)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

function countsOf({ pending, processing, completed, error }: Record<Status, number>): List['counts'] {
  const unfinished = pending + processing
  return { all: unfinished + completed + error, ready: completed, unfinished, failed: error }
}

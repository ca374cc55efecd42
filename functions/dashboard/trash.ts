import { html } from 'hono/html'
import { sql } from 'kysely'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import { type AgentScope, isInTrash } from '../../shared/database/scope.ts'
import { deleteDocument } from '../../shared/documents/client/documents.ts'
import { restoreDocument, trashDays } from '../../shared/documents/client/trash.ts'
import { type DocumentId, uuid, type WebsiteId } from '../../shared/ids.ts'
import { getAgent } from '../../shared/organizations/agents.ts'
import { deleteWebsite } from '../../shared/websites/delete-website.ts'
import { restoreWebsite } from '../../shared/websites/restore-website.ts'
import type { Sender } from '../../shared/work/outbox.ts'
import { busy, noRoom } from './documents/edits.ts'
import { isError } from './error-view.ts'
import { agentPage } from './layout.ts'
import { emptyView, rowsView } from './list.ts'
import { isIgnoring } from './refused-change.ts'
import { type Screens, valid } from './screen.ts'
import { counted, siteName } from './sentences.ts'
import { ago, localDay } from './times.ts'

const path = '/dashboard/agents/:agentId/trash'
const maxRows = 200
/** Each as `document.ID` or `website.ID`. */
const chosen = v.object({
  what: v.pipe(
    v.union([v.array(v.string()), v.string()]),
    v.transform((sent) => [sent].flat().map((text) => text.split('.'))),
    v.array(v.strictTuple([v.picklist(['document', 'website']), uuid])),
  ),
})

interface Trashed {
  what: string
  name: string
  deleted_at: Date
  pages: number | null
}

export const trashPage = (agentId: string) => `/dashboard/agents/${agentId}/trash`

/** A flash's `undo`: the path that restores, then each deleted row. */
export function undoing(agentId: string, kind: 'document' | 'website', ids: string[]) {
  return [`${trashPage(agentId)}/restore`, ...ids.map((id) => `${kind}.${id}`)]
}

/** Lists deleted documents and websites, latest first, to restore or to delete for good. */
export function addTrashScreens(screens: Screens, queue: Sender) {
  const permission = 'kb:write'
  screens
    .get(path, { permission, tab: 'documents' }, async ({ db, scope }) => {
      const rows = await listTrash(db, scope)
      return {
        title: 'Trash',
        lead: `Callers get no answers from anything in here. After ${trashDays} days, it’s gone for good.`,
        crumbs: [],
        content:
          rows.length > 0
            ? html`${rowsView(rows.map((row) => rowView(scope.agentId, row)))}${rows.length === maxRows && html`<p class="hint">Only the latest ${maxRows} are shown.</p>`}`
            : emptyView('document', 'The trash is empty', 'Documents and websites that you delete come here.'),
      }
    })
    .post(`${path}/restore`, { permission, form: chosen }, async ({ c, db, scope, form, origin }) => {
      await getAgent(db, scope)
      const names: string[] = []
      const left = new Set<string>()
      const { what } = valid(form)
      for (const [kind, id] of what)
        try {
          if (kind === 'website') {
            const place = { ...scope, sourceId: id as WebsiteId }
            names.push(siteName((await restoreWebsite({ db, queue }, place, origin, isIgnoring(c))).url))
          } else {
            const place = { ...scope, documentId: id as DocumentId }
            names.push((await restoreDocument({ db, queue }, place, origin, isIgnoring(c))).title)
          }
        } catch (error) {
          // A page of its own names the checks, and offers to restore it anyway.
          if (what.length === 1 && isError(error, 'golden_questions_fail')) throw error
          left.add(reasonOf(error))
        }
      const back =
        names.length === 1
          ? `“${names[0]}” is back.`
          : names.length > 1 && `${counted(names.length, 'document')} are back.`
      const tab = what.some(([kind]) => kind === 'website') ? 'sources' : 'documents'
      const isFromTrash = URL.parse(c.req.header('referer') ?? '')?.pathname === trashPage(scope.agentId)
      const redirect = isFromTrash ? trashPage(scope.agentId) : agentPage(scope.agentId, tab)
      return { redirect, flash: { text: [back, ...left].filter(Boolean).join(' '), isError: left.size > 0 } }
    })
    .post(`${path}/delete`, { permission, form: chosen }, async ({ db, scope, form, origin }) => {
      await getAgent(db, scope)
      const { what } = valid(form)
      const trashed = await listTrash(db, scope)
      // Skips rows that were restored in the meantime.
      const found = what.filter((each) => trashed.some(({ what }) => what === each.join('.')))
      for (const [kind, id] of found)
        if (kind === 'website') await deleteWebsite({ db, queue }, { ...scope, sourceId: id as WebsiteId }, {}, origin)
        else await deleteDocument(db, { ...scope, documentId: id as DocumentId })
      const text = found.length > 0 ? 'It’s gone for good.' : 'It’s no longer here.'
      return { redirect: trashPage(scope.agentId), flash: { text } }
    })
}

/** Leaves out documents that were deleted with their website. */
async function listTrash(db: Database, scope: AgentScope): Promise<Trashed[]> {
  const { rows } = await sql<Trashed>`select * from (
      select 'document.' || d.id as what, d.title as name, d.deleted_at, null::int as pages
      from documents d where ${isInTrash(scope)} and d.source_id is null
      union all
      select 'website.' || s.id, s.url, s.deleted_at,
        (select count(*)::int from documents d where d.organization_id = s.organization_id and d.source_id = s.id)
      from sources s where s.organization_id = ${scope.organizationId} and s.agent_id = ${scope.agentId} and s.deleted_at is not null
    ) t order by deleted_at desc limit ${maxRows}`.execute(db)
  return rows
}

function rowView(agentId: string, { what, deleted_at, pages, ...trashed }: Trashed) {
  const name = pages === null ? trashed.name : siteName(trashed.name)
  const gone = new Date(deleted_at.getTime() + trashDays * 86_400_000)
  const form = (action: string, button: string, className: string) =>
    html`<form method="post" action="${trashPage(agentId)}/${action}"><input type="hidden" name="what" value="${what}"><button class="${className}" aria-label="${button}: “${name}”">${button}</button></form>`
  return html`<li><div class="what"><p class="name">${name}</p>
<p class="hint">${pages !== null && `Website, ${counted(pages, 'page')} · `}Deleted ${ago(deleted_at)} · gone for good on ${localDay(gone)}</p></div>
${form('restore', 'Restore', 'plain')}
<details><summary aria-label="Delete for good: “${name}”">Delete for good</summary><p>You can’t restore it afterwards.</p>${form('delete', 'Delete for good', 'danger')}</details></li>`
}

/** @throws any error that a person can do nothing about */
function reasonOf(error: unknown): string {
  if (isError(error, 'external_id_conflict') || isError(error, 'source_exists'))
    return 'Something else has taken its place. Delete that first, then restore this.'
  if (isError(error, 'golden_questions_fail'))
    return 'Some stay in the trash, because checks would fail. Restore each by itself to see which.'
  if (isError(error, 'validation_failed')) return noRoom
  if (isError(error, 'rate_limited')) return busy
  if (isError(error, 'document_not_found') || isError(error, 'source_not_found')) return 'It’s gone for good already.'
  throw error
}

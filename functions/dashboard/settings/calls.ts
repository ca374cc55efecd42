import { html } from 'hono/html'
import * as v from 'valibot'
import { encodeCursor, readAfter } from '../../../shared/http/pagination.ts'
import { uuid } from '../../../shared/ids.ts'
import { listTrash, purgeCall, restoreCall, type TrashedCall } from '../../../shared/organizations/calls.ts'
import type { Html } from '../layout.ts'
import { emptyView, pagesView, rowsView } from '../list.ts'
import { callPath, callsPath as path } from '../paths.ts'
import type { Screens } from '../screen.ts'
import { localTime } from '../times.ts'

const one = { permission: 'organization:write' } as const
const sortKey = v.strictTuple([v.pipe(v.string(), v.isoTimestamp()), uuid])
const callsPerPage = 50

export function addCallsScreens(screens: Screens) {
  screens
    .get(path, { permission: 'organization:read' }, async ({ c, db, session, may }) => {
      const cursor = c.req.query('after')
      const after = readAfter(session, 'trash', cursor, sortKey)
      const { calls, hasMore } = await listTrash(db, session.organizationId, {
        limit: callsPerPage,
        after: after && { deleted_at: new Date(after[0]), id: after[1] },
      })
      const last = calls.at(-1)
      const next = last && encodeCursor(session.cursorKey, 'trash', [last.deleted_at.toISOString(), last.id])
      const rows = calls.map((call) => row(call, may('organization:write'), may('questions')))
      return {
        title: 'Deleted calls',
        lead: 'You can restore these calls or delete them permanently.',
        content:
          calls.length > 0
            ? html`${rowsView(rows)}${pagesView(['Older', hasMore && `${path}?after=${next}`])}`
            : emptyView(
                'calls',
                cursor === undefined ? 'No deleted calls' : 'No more deleted calls',
                'Completed calls come here if “Delete completed calls” is on in Settings.',
              ),
      }
    })
    .post(`${path}/:callId/restore`, one, async ({ db, session, scope }) => {
      const restored = await restoreCall(db, session.organizationId, scope.callId).executeTakeFirst()
      return { redirect: path, flash: restored ? { text: 'The call was restored.' } : notInTrash }
    })
    .post(`${path}/:callId/delete`, one, async ({ db, session, scope }) => {
      const purged = await purgeCall(db, session.organizationId, scope.callId).executeTakeFirst()
      return { redirect: path, flash: purged ? { text: 'The call was deleted permanently.' } : notInTrash }
    })
}

const notInTrash = { text: 'This call is no longer here: it has already been restored or deleted.', isError: true }

function row(call: TrashedCall, mayChange: boolean, mayReadQuestions: boolean): Html {
  const { id, agent_id, agent_name, created_at, deleted_at } = call
  const form = (action: string, button: string, style: string) =>
    html`<form method="post" action="${path}/${id}/${action}"><button class="${style}" aria-label="${button} the call with ${agent_name}">${button}</button></form>`
  return html`<li><div class="what"><p class="name"><span>Call on ${localTime(created_at)}</span></p>
<p class="hint">${agent_name} · deleted ${localTime(deleted_at)}</p></div>
${mayReadQuestions && html`<a class="button quiet" href="${callPath(agent_id, id)}" aria-label="Questions from the call with ${agent_name}">Questions</a>`}
${
  mayChange &&
  html`${form('restore', 'Restore', 'plain')}
<details><summary aria-label="Delete permanently: the call with ${agent_name}">Delete permanently</summary><p>It will be deleted immediately, for everyone. This can’t be undone.</p>${form('delete', 'Delete', 'danger')}</details>`
}</li>`
}

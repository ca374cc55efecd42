import { html } from 'hono/html'
import * as v from 'valibot'
import { encodeCursor, readAfter } from '../../shared/http/pagination.ts'
import { uuid } from '../../shared/ids.ts'
import { findInTrash, listTrash, purgeCall, restoreCall, type TrashedCall } from '../../shared/organizations/calls.ts'
import { getOrganization } from '../../shared/organizations/organization.ts'
import { Gone } from './error-view.ts'
import { confirmView } from './form-view.ts'
import type { Html } from './layout.ts'
import { emptyView, pagesView, rowsView } from './list.ts'
import { callPath, settingsPath } from './paths.ts'
import type { Screens } from './screen.ts'
import { localTime } from './times.ts'

const path = '/dashboard/calls'
const one = { permission: 'organization:write' } as const
const sortKey = v.strictTuple([v.pipe(v.string(), v.isoTimestamp()), uuid])
const callsPerPage = 50

export function addCallsScreens(screens: Screens) {
  screens
    .get(path, { permission: 'organization:read' }, async ({ c, db, session, may }) => {
      const cursor = c.req.query('after')
      const after = readAfter(session, 'trash', cursor, sortKey)
      const [{ calls, hasMore }, { auto_delete_done_calls: isAutomatic }] = await Promise.all([
        listTrash(db, session.organizationId, {
          limit: callsPerPage,
          after: after && { deleted_at: new Date(after[0]), id: after[1] },
        }),
        getOrganization(db, session.organizationId),
      ])
      const last = calls.at(-1)
      const next = last && encodeCursor(session.cursorKey, 'trash', [last.deleted_at.toISOString(), last.id])
      const rows = calls.map((call) => row(call, may('organization:write'), may('kb:write')))
      return {
        title: 'Deleted calls',
        lead: isAutomatic
          ? 'Completed calls are moved here. You can restore them or delete them permanently.'
          : 'You can restore these calls or delete them permanently.',
        place: 'calls',
        content:
          calls.length > 0
            ? html`${rowsView(rows)}${pagesView(['Older', hasMore && `${path}?after=${next}`])}`
            : emptyView(
                'calls',
                cursor === undefined ? 'No deleted calls' : 'No more deleted calls',
                isAutomatic
                  ? 'When a call is completed, it’s moved here, where you can restore it or delete it permanently.'
                  : 'Completed calls are kept. In the settings, you can have them deleted automatically.',
                html`<a href="${settingsPath}">Go to settings</a>`,
              ),
      }
    })
    .post(`${path}/:callId/restore`, one, async ({ db, session, scope }) => {
      const restored = await restoreCall(db, session.organizationId, scope.callId).executeTakeFirst()
      return { redirect: path, flash: restored ? { text: 'The call was restored.' } : notInTrash }
    })
    .get(`${path}/:callId/delete`, one, async ({ db, session, scope }) => {
      const call = await findInTrash(db, session.organizationId, scope.callId)
      if (!call) throw new Gone()
      const says = html`${facts(call)}<p>It will be deleted immediately, for everyone. This can’t be undone.</p>`
      const content = confirmView(says, 'Delete permanently', path)
      return { title: 'Delete this call permanently?', place: 'calls', crumbs: [], content }
    })
    .post(`${path}/:callId/delete`, one, async ({ db, session, scope }) => {
      const purged = await purgeCall(db, session.organizationId, scope.callId).executeTakeFirst()
      return { redirect: path, flash: purged ? { text: 'The call was deleted permanently.' } : notInTrash }
    })
}

const notInTrash = { text: 'This call is no longer here: it has already been restored or deleted.', isError: true }

function row(call: TrashedCall, mayChange: boolean, mayReadQuestions: boolean): Html {
  const { id, agent_id, agent_name } = call
  return html`<li><div class="what">${facts(call)}</div>
<div class="actions">${mayReadQuestions && html`<a class="button quiet" href="${callPath(agent_id, id)}" aria-label="Show the questions from the call with ${agent_name}">Questions</a>`}
${
  mayChange &&
  html`<form method="post" action="${path}/${id}/restore"><button class="plain" aria-label="Restore the call with ${agent_name}">Restore</button></form>
<a class="button quiet danger" href="${path}/${id}/delete">Delete permanently</a>`
}</div></li>`
}

function facts({ agent_name, created_at, deleted_at }: TrashedCall): Html {
  return html`<p class="name"><span>Call on ${localTime(created_at)}</span></p>
<p class="hint">${agent_name} · deleted ${localTime(deleted_at)}</p>`
}

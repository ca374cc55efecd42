import { html } from 'hono/html'
import * as v from 'valibot'
import { decodeCursor, encodeCursor } from '../../shared/http/pages.ts'
import { uuid } from '../../shared/ids.ts'
import { findInTrash, listTrash, purgeCall, restoreCall, type TrashedCall } from '../../shared/organizations/calls.ts'
import { getOrganization } from '../../shared/organizations/organization.ts'
import type { Session } from '../../shared/organizations/sessions.ts'
import { Gone } from './error-view.ts'
import { icon } from './icons.ts'
import type { Html } from './layout.ts'
import { callPath } from './paths.ts'
import type { Screens } from './screen.ts'
import { localTime } from './times.ts'
import { words } from './words.ts'

const path = '/dashboard/calls'
const onePath = v.object({ callId: uuid })
const sortKey = v.strictTuple([v.pipe(v.string(), v.isoTimestamp()), uuid])
const callsPerPage = 50

export function addCallsScreens(screens: Screens) {
  screens
    .get(path, { permission: 'organization:read' }, async ({ c, db, session, may }) => {
      const cursor = c.req.query('after')
      const after = cursor === undefined ? undefined : readAfter(session, cursor)
      const [{ calls, hasMore }, { auto_delete_done_calls: isAutomatic }] = await Promise.all([
        listTrash(db, session.organizationId, { limit: callsPerPage, after }),
        getOrganization(db, session.organizationId),
      ])
      const last = hasMore ? calls.at(-1) : undefined
      const next = last && `${path}?after=${afterCall(session, last)}`
      return {
        title: 'Deleted calls',
        lead: isAutomatic
          ? 'Completed calls are moved here. You can restore them or delete them permanently.'
          : 'You can restore these calls or delete them permanently.',
        place: 'calls',
        content:
          calls.length > 0
            ? trash(calls, { mayChange: may('organization:write'), mayReadQuestions: may('kb:write'), next })
            : emptyTrash({ isAutomatic, isFirst: after === undefined }),
      }
    })
    .post(
      `${path}/:callId/restore`,
      { permission: 'organization:write', params: onePath },
      async ({ db, session, scope }) => {
        const restored = await restoreCall(db, session.organizationId, scope.callId).executeTakeFirst()
        return { redirect: path, flash: restored ? { text: 'The call was restored.' } : notInTrash }
      },
    )
    .get(
      `${path}/:callId/delete`,
      { permission: 'organization:write', params: onePath },
      async ({ db, session, scope }) => {
        const call = await findInTrash(db, session.organizationId, scope.callId)
        if (!call) throw new Gone()
        return {
          title: 'Delete this call permanently?',
          place: 'calls',
          crumbs: [],
          content: purgeQuestion(call, path),
        }
      },
    )
    .post(
      `${path}/:callId/delete`,
      { permission: 'organization:write', params: onePath },
      async ({ db, session, scope }) => {
        const purged = await purgeCall(db, session.organizationId, scope.callId).executeTakeFirst()
        return { redirect: path, flash: purged ? { text: 'The call was deleted permanently.' } : notInTrash }
      },
    )
}

function afterCall({ cursorKey }: Session, { deleted_at, id }: TrashedCall): string {
  return encodeCursor(cursorKey, 'trash', [deleted_at.toISOString(), id])
}

function readAfter({ cursorKey }: Session, cursor: string) {
  const [deletedAt, id] = decodeCursor(cursorKey, 'trash', cursor, sortKey)
  return { deleted_at: new Date(deletedAt), id }
}

const notInTrash = { text: 'This call is no longer here: it has already been restored or deleted.', isError: true }

function trash(calls: TrashedCall[], { next, ...may }: MayDo & { next: string | undefined }): Html {
  return html`<section class="panel"><ul class="rows">${calls.map((call) => row(call, may))}</ul></section>
${next ? html`<p class="more"><a href="${next}">Older</a></p>` : ''}`
}

interface MayDo {
  mayChange: boolean
  mayReadQuestions: boolean
}

function row(call: TrashedCall, { mayChange, mayReadQuestions }: MayDo): Html {
  const { id, agent_id, agent_name } = call
  return html`<li><div class="what">${facts(call)}</div>
<div class="actions">${mayReadQuestions && html`<a class="button quiet" href="${callPath(agent_id, id)}" aria-label="Show the questions from the call with ${agent_name}">Questions</a>`}
${
  mayChange &&
  html`<form method="post" action="/dashboard/calls/${call.id}/restore"><button class="plain" aria-label="Restore the call with ${call.agent_name}">Restore</button></form>
<a class="button quiet danger" href="/dashboard/calls/${call.id}/delete">Delete permanently</a>`
}</div></li>`
}

function facts({ agent_name, created_at, deleted_at }: TrashedCall): Html {
  return html`<p class="name"><span>Call on ${localTime(created_at)}</span></p>
<p class="hint">${agent_name} · deleted ${localTime(deleted_at)}</p>`
}

function emptyTrash({ isAutomatic, isFirst }: { isAutomatic: boolean; isFirst: boolean }): Html {
  return html`<section class="empty">${icon('calls')}<h2>${isFirst ? 'No deleted calls' : 'No more deleted calls'}</h2>
<p>${isAutomatic ? 'When a call is completed, it’s moved here, where you can restore it or delete it permanently.' : 'Completed calls are kept. In the settings, you can have them deleted automatically.'}</p>
<p><a href="/dashboard/settings">Go to settings</a></p></section>`
}

function purgeQuestion(call: TrashedCall, back: string): Html {
  return html`<section class="panel sheet">${facts(call)}
<p>It will be deleted immediately, for everyone. This can’t be undone.</p>
<form class="actions" method="post"><button class="danger">Delete permanently</button><a class="button plain" href="${back}">${words.cancel}</a></form></section>`
}

import * as v from 'valibot'
import { decodeCursor, encodeCursor } from '../../../shared/http/pages.ts'
import { uuid } from '../../../shared/ids.ts'
import {
  findInTrash,
  listTrash,
  purgeCall,
  restoreCall,
  type TrashedCall,
} from '../../../shared/organizations/calls.ts'
import { getOrganization } from '../../../shared/organizations/organization.ts'
import type { Session } from '../../../shared/organizations/sessions.ts'
import { Gone } from '../error-view.ts'
import type { Screens } from '../screen.ts'
import { emptyTrash, purgeQuestion, trash } from './view.ts'

const path = '/dashboard/calls'
const callPath = v.object({ callId: uuid })
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
      { permission: 'organization:write', params: callPath },
      async ({ db, session, scope }) => {
        const restored = await restoreCall(db, session.organizationId, scope.callId).executeTakeFirst()
        return { redirect: path, flash: restored ? { text: 'The call was restored.' } : notInTrash }
      },
    )
    .get(
      `${path}/:callId/delete`,
      { permission: 'organization:write', params: callPath },
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
      { permission: 'organization:write', params: callPath },
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

import * as v from 'valibot'
import { ApiError } from '../../../shared/http/errors.ts'
import { decodeCursor, encodeCursor } from '../../../shared/http/pages.ts'
import { newId, uuid } from '../../../shared/ids.ts'
import { createKey, listKeys, madeWith, revokeKey } from '../../../shared/organizations/keys.ts'
import type { Session } from '../../../shared/organizations/sessions.ts'
import { permissions } from '../../../shared/permissions.ts'
import { Gone } from '../error-view.ts'
import { anyOf, line } from '../forms.ts'
import { settingsPath } from '../paths.ts'
import { type Screens, valid } from '../screen.ts'
import { words } from '../words.ts'
import { type Filled, keyForm, madeKey, maxName, revokeQuestion } from './key-views.ts'

const keysPath = `${settingsPath}/keys`
const { keys: w } = words.settings

const keyPath = v.object({ keyId: uuid })
const periods = { '30': 30, '90': 90, '365': 365, never: Number.POSITIVE_INFINITY } as const
const newKeyForm = v.object({
  /** The id of the new key, which we made and signed: a form that is sent twice makes one key. */
  id: v.string(),
  name: line(maxName, {
    missing: 'Enter a name, so that you know later what the key is for.',
    tooLong: 'A name can have at most 200 characters.',
  }),
  permissions: v.pipe(anyOf(permissions, w.permissionMissing), v.minLength(1, w.permissionMissing)),
  days: v.picklist(['30', '90', '365', 'never'], 'Choose when it expires.'),
})

const revokeForm = v.object({ created: v.optional(v.literal('true')) })

const idName = 'new key'
const newFormId = ({ cursorKey }: Session) => encodeCursor(cursorKey, idName, [newId()])
const keyIdOf = ({ cursorKey }: Session, id: string) => decodeCursor(cursorKey, idName, id, v.strictTuple([uuid]))[0]

export function addKeyRoutes(screens: Screens) {
  const within = { place: 'settings', crumbs: [] } as const
  const newKey = (session: Session, sent: Omit<Filled, 'id'> = {}) => ({
    ...within,
    title: 'New key',
    lead: 'For a person or a program. You’ll see it only once, when it’s created.',
    content: keyForm(session, { id: newFormId(session), ...sent }),
  })
  screens
    .get(`${keysPath}/new`, { permission: 'organization:write' }, ({ session }) => newKey(session))
    .post(`${keysPath}/new`, { permission: 'organization:write', form: newKeyForm }, async ({ db, session, form }) => {
      if (!form.isValid) return { ...newKey(session, form), status: 422 }
      const { id, name, permissions, days } = form.values
      const beyond = permissions.find((permission) => !session.permissions.includes(permission))
      if (beyond) throw new ApiError('missing_permission', beyond)
      const made = await createKey(db, session.organizationId, {
        id: keyIdOf(session, id),
        name,
        permissions,
        expiresAt: earlier(session, periods[days]),
        createdBy: session.id,
      })
      if (!made)
        return {
          redirect: settingsPath,
          flash: {
            text: 'This key has already been created. A key is shown only once: if you didn’t copy it, revoke it and create another.',
            isError: true,
          },
        }
      return { ...within, title: `Key “${name}”`, content: madeKey(made.key) }
    })
    .get(
      `${keysPath}/:keyId/revoke`,
      { permission: 'organization:write', params: keyPath },
      async ({ db, session, scope }) => {
        const keys = await listKeys(db, session.organizationId).execute()
        const active = keys.filter(({ state }) => state === 'active')
        const key = active.find(({ id }) => id === scope.keyId)
        if (!key) throw new Gone()
        const others = active.filter(
          ({ id, permissions }) => id !== key.id && permissions.includes('organization:write'),
        )
        return {
          ...within,
          title: `Revoke “${key.name}”?`,
          content: revokeQuestion({
            isOwn: key.id === session.id,
            isLast: others.length === 0,
            created: madeWith(keys, key.id).filter(({ state }) => state === 'active'),
            back: settingsPath,
          }),
        }
      },
    )
    .post(
      `${keysPath}/:keyId/revoke`,

      { permission: 'organization:write', params: keyPath, form: revokeForm },
      async ({ db, session, scope, form }) => {
        const withCreated = valid(form).created === 'true'
        const revoked = await revokeKey(db, session.organizationId, scope.keyId, { withCreated })
        if (!revoked) throw new Gone()
        const names = [revoked, ...(withCreated ? revoked.created : [])].map(({ name }) => name)
        return { redirect: settingsPath, flash: { text: w.revoked(names) } }
      },
    )
}

/** The chosen expiry, but no later than that of the key that creates it. */
function earlier({ keyExpiresAt }: Session, days: number): Date | undefined {
  const chosen = Date.now() + days * 86_400_000
  const end = Math.min(chosen, keyExpiresAt?.getTime() ?? Number.POSITIVE_INFINITY)
  return Number.isFinite(end) ? new Date(end) : undefined
}

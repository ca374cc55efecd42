import * as v from 'valibot'
import { listKeys } from '../../../shared/organizations/keys.ts'
import { getUsage } from '../../../shared/organizations/limits.ts'
import { getOrganization, updateOrganization } from '../../../shared/organizations/organization.ts'
import { agentUsage } from '../../../shared/organizations/usage.ts'
import { listWebhooks } from '../../../shared/webhooks/webhooks.ts'
import { settingsPath } from '../paths.ts'
import { addQuestionLogRoutes, isLogOn, questionLogPanel } from '../question-log.ts'
import { type Screens, valid } from '../screen.ts'
import { words } from '../words.ts'
import { addKeyRoutes } from './keys.ts'
import { autoDelete, keepRevisions, keyList, usage } from './view.ts'
import { webhookList } from './webhook-views.ts'
import { addWebhookScreens } from './webhooks.ts'

const switchForm = v.object({ on: v.picklist(['true', 'false']) })

export function addSettingsScreens(screens: Screens) {
  addQuestionLogRoutes(screens)
  addKeyRoutes(screens)
  addWebhookScreens(screens)
  screens
    .get(settingsPath, { permission: 'organization:read' }, async ({ db, session, may }) => {
      const [organization, kept, keys, hooks, agents, used] = await Promise.all([
        getOrganization(db, session.organizationId),
        isLogOn(db, session.organizationId).select('keep_revisions').executeTakeFirstOrThrow(),
        listKeys(db, session.organizationId).execute(),
        listWebhooks(db, session.organizationId),
        agentUsage(db, session.organizationId),
        getUsage(db, session.organizationId),
      ])
      const mayChange = may('organization:write')
      return {
        title: 'Settings',
        place: 'settings',
        content: [
          autoDelete(organization.auto_delete_done_calls, mayChange),
          questionLogPanel(kept.log_questions, mayChange),
          keepRevisions(kept.keep_revisions, mayChange),
          keyList(keys, { mayChange, ownId: session.id }),
          webhookList(hooks.webhooks, mayChange),
          usage(agents, used),
        ],
      }
    })
    .post(
      `${settingsPath}/auto-delete`,
      { permission: 'organization:write', form: switchForm },
      async ({ db, session, form }) => {
        const isOn = valid(form).on === 'true'
        await updateOrganization(db, session.organizationId, { auto_delete_done_calls: isOn })
        return { redirect: settingsPath, flash: { text: words.settings.autoDelete.changed[isOn ? 'on' : 'off'] } }
      },
    )
    .post(
      `${settingsPath}/revisions`,
      { permission: 'organization:write', form: switchForm },
      async ({ db, session, form }) => {
        const isOn = valid(form).on === 'true'
        const ofOwn = db.updateTable('organizations').where('id', '=', session.organizationId)
        await ofOwn.set({ keep_revisions: isOn }).execute()
        return { redirect: settingsPath, flash: { text: words.settings.revisions.changed[isOn ? 'on' : 'off'] } }
      },
    )
}

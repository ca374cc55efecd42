import { html } from 'hono/html'
import { listKeys } from '../../../shared/organizations/keys.ts'
import { getUsage, type Usage } from '../../../shared/organizations/limits.ts'
import { listPeople } from '../../../shared/organizations/people.ts'
import { type AgentUsage, agentUsage, maxDocumentsPerAgent } from '../../../shared/organizations/usage.ts'
import { listWebhooks } from '../../../shared/webhooks/webhooks.ts'
import type { Html } from '../layout.ts'
import { settingsPath } from '../paths.ts'
import type { Screens } from '../screen.ts'
import { number } from '../sentences.ts'
import { addSwitchRoutes, questionLogPanel, readSwitches, switchView } from '../switches.ts'
import { addAppRoutes, readApps } from './apps.ts'
import { addKeyRoutes, keyList } from './keys.ts'
import { peopleList } from './people.ts'
import { addWebhookScreens, webhookList } from './webhooks.ts'

export function addSettingsScreens(screens: Screens) {
  addSwitchRoutes(screens)
  addKeyRoutes(screens)
  addAppRoutes(screens)
  addWebhookScreens(screens)
  screens.get(settingsPath, { permission: 'organization:read' }, async ({ db, session, may }) => {
    const [people, kept, keys, apps, hooks, agents, used] = await Promise.all([
      listPeople(db, session.organizationId),
      readSwitches(db, session.organizationId),
      listKeys(db, session.organizationId).execute(),
      readApps(db, session),
      listWebhooks(db, session.organizationId),
      agentUsage(db, session.organizationId),
      getUsage(db, session.organizationId),
    ])
    const mayChange = may('organization:write')
    return {
      title: 'Settings',
      place: 'settings',
      content: [
        peopleList(people, session),
        autoDelete(kept.auto_delete_done_calls, mayChange),
        questionLogPanel(kept.log_questions, mayChange),
        keepRevisions(kept.keep_revisions, mayChange),
        keyList(keys, mayChange, session.id),
        apps,
        agentsUsage(agents),
        html`<details class="developers"><summary>For developers</summary>
<p class="hint">Programs can do everything that this dashboard does, and more. <a href="/v1/docs">API reference</a></p>
${webhookList(hooks.webhooks, mayChange)}${limitsView(used)}</details>`,
      ],
    }
  })
}

function autoDelete(isOn: boolean, mayChange: boolean): Html {
  return html`<section class="panel"><div class="head"><h2>Delete completed calls</h2><p class="state ${isOn && 'good'}">${isOn ? 'On' : 'Off'}</p></div>
<p>${isOn ? 'Completed calls are moved to “Deleted calls”.' : 'Completed calls are kept.'}</p>
<p class="hint">A change applies to calls completed after it. Deleted calls can be restored until you delete them permanently.</p>
${mayChange && switchView('auto-delete', isOn, isOn ? 'Turn off' : 'Turn on')}</section>`
}

/** Asks for confirmation before turning it off, because that deletes texts. */
function keepRevisions(isOn: boolean, mayChange: boolean): Html {
  const turnOff = 'Stop keeping earlier texts'
  const form = switchView('revisions', isOn, isOn ? turnOff : 'Keep earlier texts', isOn ? 'danger' : 'plain')
  return html`<section class="panel"><div class="head"><h2>Keep earlier texts of documents</h2><p class="state ${isOn && 'good'}">${isOn ? 'On' : 'Off'}</p></div>
<p>When a document is changed, the text that callers got answers from is kept for a year, at most 20 for each document. Its history shows who changed what, and lets you restore a text.</p>
${mayChange && (isOn ? html`<details><summary>${turnOff}</summary><p>The earlier texts of all your documents are deleted within minutes. This can’t be undone. Callers still get answers from the current texts.</p>${form}</details>` : form)}</section>`
}

function agentsUsage(agents: AgentUsage[]): Html {
  return html`<section class="panel"><h2>Documents</h2>
${agents.length === 0 && html`<p class="hint">No agents yet.</p>`}
${agents.map(({ name, document_count }) => {
  const figure = `${number(document_count)} of ${number(maxDocumentsPerAgent)} documents`
  return meter(name, document_count, maxDocumentsPerAgent, figure, `Documents of ${name}`)
})}</section>`
}

function limitsView({ limits, use }: Usage): Html {
  const { tokens_per_day, documents_in_pipeline } = limits
  const ofWords = Math.round(tokens_per_day / 1.3).toLocaleString('en', { notation: 'compact' })
  const of = (used: number, max: number) => `${number(used)} of ${number(max)}`
  const [stored, storable] = [use, limits].map(({ stored_bytes }) => Math.ceil(stored_bytes / 1e6)) as [number, number]
  return html`<section class="panel"><h2>Limits</h2>
${meter('Text processed today', use.tokens_today, tokens_per_day, `${of(use.tokens_today, tokens_per_day)} tokens, about ${ofWords} words`)}
<p class="hint">Once these tokens are used up, new texts wait until the next day, which starts at 00:00 UTC. Documents that are ready stay ready.</p>
${meter('Documents being processed', use.documents_in_pipeline, documents_in_pipeline, of(use.documents_in_pipeline, documents_in_pipeline))}
${meter('Storage, with the trash', stored, storable, `${of(stored, storable)} MB`)}</section>`
}

function meter(name: string, used: number, max: number, figure: string, label = name): Html {
  return html`<div class="meter"><span>${name}</span><span class="hint">${figure}</span>
<progress value="${Math.min(used, max)}" max="${Math.max(1, max)}" aria-label="${label}"></progress></div>`
}

import { html } from 'hono/html'
import { listKeys } from '../../../shared/organizations/keys.ts'
import { getUsage, type Usage } from '../../../shared/organizations/limits.ts'
import { listPeople } from '../../../shared/organizations/people.ts'
import { type AgentUsage, agentUsage, maxDocumentsPerAgent } from '../../../shared/organizations/usage.ts'
import type { Html } from '../layout.ts'
import { settingsPath } from '../paths.ts'
import type { Screens } from '../screen.ts'
import { number } from '../sentences.ts'
import { addSwitchRoutes, readSwitches, switchesView } from '../switches.ts'
import { addAppRoutes, readApps } from './apps.ts'
import { addCallsScreens } from './calls.ts'
import { addKeyRoutes, keyList } from './keys.ts'
import { peopleList } from './people.ts'

export function addSettingsScreens(screens: Screens) {
  addSwitchRoutes(screens)
  addKeyRoutes(screens)
  addAppRoutes(screens)
  addCallsScreens(screens)
  screens.get(settingsPath, { permission: 'organization:read' }, async ({ db, session, may }) => {
    const [people, kept, keys, apps, agents, used] = await Promise.all([
      listPeople(db, session.organizationId),
      readSwitches(db, session.organizationId),
      listKeys(db, session.organizationId).execute(),
      readApps(db, session),
      agentUsage(db, session.organizationId),
      getUsage(db, session.organizationId),
    ])
    const mayChange = may('organization:write')
    return {
      title: 'Settings',
      content: [
        peopleList(people, session),
        switchesView(kept, mayChange),
        apps,
        keyList(keys, mayChange, session.id),
        html`<section class="panel"><h2>Usage</h2>${agentsUsage(agents)}${limitsView(used)}</section>`,
      ],
    }
  })
}

function agentsUsage(agents: AgentUsage[]): Html[] {
  return agents.map(({ name, document_count }) => {
    const figure = `${number(document_count)} of ${number(maxDocumentsPerAgent)} documents`
    return meter(name, document_count, maxDocumentsPerAgent, figure, `Documents of ${name}`)
  })
}

function limitsView({ limits, use }: Usage): Html {
  const { tokens_per_day, documents_in_pipeline } = limits
  const ofWords = Math.round(tokens_per_day / 1.3).toLocaleString('en', { notation: 'compact' })
  const of = (used: number, max: number) => `${number(used)} of ${number(max)}`
  const [stored, storable] = [use, limits].map(({ stored_bytes }) => Math.ceil(stored_bytes / 1e6)) as [number, number]
  return html`${meter('Text processed today', use.tokens_today, tokens_per_day, `${of(use.tokens_today, tokens_per_day)} tokens, about ${ofWords} words`)}
<p class="hint">Once these tokens are used up, new texts wait until the next day, which starts at 00:00 UTC. Documents that are ready stay ready.</p>
${meter('Documents being processed', use.documents_in_pipeline, documents_in_pipeline, of(use.documents_in_pipeline, documents_in_pipeline))}
${meter('Storage, with the trash', stored, storable, `${of(stored, storable)} MB`)}`
}

function meter(name: string, used: number, max: number, figure: string, label = name): Html {
  return html`<div class="meter"><span>${name}</span><span class="hint">${figure}</span>
<progress value="${Math.min(used, max)}" max="${Math.max(1, max)}" aria-label="${label}"></progress></div>`
}

import { Hono } from 'hono'
import { html } from 'hono/html'
import type { ApiEnv } from '../../../../shared/http/api.ts'
import { agentPath } from '../../../../shared/ids.ts'
import { getAgent } from '../../../../shared/organizations/agents.ts'
import type { Screen } from '../../screen.ts'
import { words } from '../../words.ts'
import { listPath, placeOf } from '../place.ts'
import { contradictionsIn } from './find.ts'
import { readServed } from './served.ts'
import { contradictionsView } from './view.ts'

const w = words.documents.contradictions

export function contradictionsScreen(screen: Screen) {
  return new Hono<ApiEnv>().get(
    `${listPath}/contradictions`,
    screen({ permission: 'kb:read', params: agentPath }, async ({ db, scope, isPartial, may }) => {
      const [agent, documents] = await Promise.all([getAgent(db, scope), readServed(db, scope)])
      const { base } = placeOf(scope, may)
      const found = contradictionsIn(documents ?? [])
      if (isPartial) return { fragment: contradictionsView(found, base) }
      return {
        title: w.title,
        agent: { ...agent, tab: 'documents' },
        crumbs: [],
        content: html`${found.length === 0 && html`<p class="none">${documents ? w.none : w.tooMany}</p>`}${contradictionsView(found, base)}`,
      }
    }),
  )
}

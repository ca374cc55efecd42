import { html } from 'hono/html'
import type { AgentRow } from '../../../shared/organizations/agents.ts'
import { icon } from '../icons.ts'
import { agentPage, type Html } from '../layout.ts'
import { words } from '../words.ts'

export function agentList(agents: AgentRow[]): Html {
  return html`<ul class="cards">${agents.map(agentCard)}</ul>`
}

function agentCard(agent: AgentRow): Html {
  const { pending, processing, completed, error } = agent.documents
  const inWork = pending + processing
  const count = inWork + completed + error
  const { agents: w } = words
  return html`<li class="card agent"><h2><a href="${agentPage(agent.id, 'documents')}">${agent.name}</a></h2>
${toolState(agent, count, inWork)}
<p class="counts"><span>${count === 0 ? w.addFirst : w.documents(count)}</span>
${completed > 0 && completed < count ? html`<span>${w.ready(completed)}</span>` : ''}
${inWork > 0 ? html`<span>${w.pending(inWork)}</span>` : ''}
${error > 0 ? html`<span class="failed">${w.failed(error)}</span>` : ''}</p></li>`
}

function toolState(agent: AgentRow, count: number, inWork: number): Html {
  if (agent.knowledge_base_enabled) return html`<p class="state good">${words.agents.isOn}</p>`
  const reason = offReason(count, inWork)
  return html`<p class="state ${{ none: '', pending: 'wait', failed: 'bad' }[reason]}">${words.agents.isOff[reason]}</p>`
}

function offReason(count: number, inWork: number): keyof typeof words.agents.isOff {
  if (count === 0) return 'none'
  return inWork > 0 ? 'pending' : 'failed'
}

export function noAgents(organizationId: string): Html {
  return html`<section class="empty">${icon('agents')}<h2>${words.agents.none}</h2>
<p>${words.agents.noneLead}</p>
<pre><code>npx cuecard agent create --organization ${organizationId} --name 'Front desk'</code></pre></section>`
}

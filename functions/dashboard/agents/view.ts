import { html } from 'hono/html'
import type { AgentRow } from '../../../shared/organizations/agents.ts'
import { icon } from '../icons.ts'
import { agentPage, type Html } from '../layout.ts'
import { counted, number } from '../sentences.ts'
import { words } from '../words.ts'

const { agents: w } = words

export function agentList(agents: AgentRow[]): Html {
  return html`<ul class="cards">${agents.map(agentCard)}</ul>`
}

function agentCard({ id, name, knowledge_base_enabled: isOn, documents }: AgentRow): Html {
  const { pending, processing, completed, error } = documents
  const unfinished = pending + processing
  const count = unfinished + completed + error
  const reason = unfinished > 0 ? 'pending' : 'failed'
  const off = count === 0 ? 'none' : reason
  const tone = isOn ? 'good' : { none: '', pending: 'wait', failed: 'bad' }[off]
  return html`<li class="card agent"><h2><a href="${agentPage(id, 'documents')}">${name}</a></h2>
<p class="state ${tone}">${isOn ? 'Answers callers' : w.isOff[off]}</p>
<p class="counts"><span>${count === 0 ? 'Add the first document' : counted(count, 'document')}</span>
${completed > 0 && completed < count && html`<span>${number(completed)} ready</span>`}
${unfinished > 0 && html`<span>${number(unfinished)} processing</span>`}
${error > 0 && html`<span class="failed">${number(error)} failed</span>`}</p></li>`
}

export function noAgents(organizationId: string): Html {
  return html`<section class="empty">${icon('agents')}<h2>No agents yet</h2>
<p>An agent is one voice on the phone, with its own documents. Whoever runs Cuecard for you creates it with this command:</p>
<pre><code>npx cuecard agent create --organization ${organizationId} --name 'Front desk'</code></pre></section>`
}

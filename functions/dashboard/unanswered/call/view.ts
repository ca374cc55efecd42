import { html } from 'hono/html'
import type { KeptHit } from '../../../../shared/database/tables.ts'
import type { KeptQuestion } from '../../../../shared/questions/questions.ts'
import { levelOf } from '../../../../shared/retrieval/answerable.ts'
import { excerptView } from '../../excerpt.ts'
import { icon } from '../../icons.ts'
import type { Html } from '../../layout.ts'
import { levelView } from '../../level-view.ts'
import { callPath, documentPath, passagePath } from '../../paths.ts'
import { counted, number } from '../../sentences.ts'
import { localTime } from '../../times.ts'
import { waysView } from '../../ways.ts'
import { words } from '../../words.ts'
import type { GivenPassage } from './passages.ts'

const w = words.call

type GivenOf = (hit: KeptHit) => GivenPassage | undefined

export function callForm(agentId: string, id = ''): Html {
  return html`<search><form class="ask" method="get" action="${callPath(agentId)}"><label for="call">Call ID</label>
<div class="line"><input id="call" type="search" name="id" value="${id}" maxlength="255" autocomplete="off" required><button class="plain">Show call</button></div></form></search>`
}

export function callView(
  agentId: string,
  { questions, hasMore, givenOf }: { questions: KeptQuestion[]; hasMore: boolean; givenOf: GivenOf },
): Html {
  if (questions.length === 0)
    return html`<section class="empty">${icon('calls')}<h2>No questions from this call</h2><p>Questions are saved for 30 days if “Save callers’ questions” is on, and can be found here if your platform sent the ID of the call with them.</p></section>`
  return html`<p class="sought">${
    hasMore
      ? `Only the last ${number(questions.length)} questions of this call are shown.`
      : questions.length === 1
        ? '1 question was asked in this call.'
        : `${number(questions.length)} questions were asked in this call, in this order.`
  }</p>
<ol class="hits">${questions.map((question) => html`<li class="hit panel">${questionView(agentId, question, givenOf)}</li>`)}</ol>`
}

function questionView(agentId: string, asked: KeptQuestion, givenOf: GivenOf): Html {
  const { id, question, call_id, answerable, mode, is_degraded, milliseconds, asked_at, hits } = asked
  const level = levelOf(hits.length, answerable)
  const [first, ...others] = hits
  const given = first && givenOf(first)
  return html`<header><h2>“${question}”</h2>${levelView(level)}</header>
<p class="hint">${localTime(asked_at)} · ${is_degraded ? 'by words only, as the meaning wasn’t available in time' : w.modes[mode]} · in ${number(milliseconds)} ms</p>
${first ? level === 'nothing' && html`<p>On Vapi, Retell and MCP, the agent was told that nothing was found.</p>` : html`<p>Nothing was found.</p>`}
${first && hitView(agentId, first, given)}
${others.length > 0 && html`<details><summary>${counted(others.length, 'more passage')}</summary>${others.map((hit) => hitView(agentId, hit, givenOf(hit)))}</details>`}
<div class="actions">${waysView(agentId, {
    question,
    asked: { call: call_id!, before: id },
    passage: first && given && pathOf(agentId, first, given),
    found: given && first?.document_id,
    document: level === 'found' && given ? first?.document_id : undefined,
  })}</div>`
}

function hitView(agentId: string, hit: KeptHit, given: GivenPassage | undefined): Html {
  const title = given ? html`<a href="${pathOf(agentId, hit, given)}">${given.title}</a>` : 'Deleted document'
  const isOld = given?.text !== undefined && !given.isUnchanged
  return html`<div class="given"><h3>${title}</h3><p class="hint">Passage ${hit.chunk_index + 1} · score ${hit.score.toFixed(2)}${isOld && ` · as it was then: the text has changed since`}</p>
${given?.text === undefined ? html`<p>The text that was found then is no longer saved.</p>` : excerptView({ text: given.text, places: [] })}</div>`
}

function pathOf(agentId: string, { document_id, chunk_index }: KeptHit, { isUnchanged }: GivenPassage): string {
  return isUnchanged ? passagePath(agentId, document_id, chunk_index) : documentPath(agentId, document_id)
}

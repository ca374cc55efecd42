import { html } from 'hono/html'
import { searchModes } from '../../../shared/retrieval/schemas.ts'
import { icon } from '../icons.ts'
import { agentPage, type Html } from '../layout.ts'
import { levelView } from '../level-view.ts'
import { askPath } from '../paths.ts'
import { localTime } from '../times.ts'
import type { Titled } from '../titles.ts'
import { waysView } from '../ways.ts'
import { words } from '../words.ts'
import { passageView } from './passage-view.ts'
import type { AskQuery, Trial } from './trial.ts'

const w = words.ask

export function askForm(agentId: string, { q, mode, at }: AskQuery, zone: string): Html {
  return html`<search><form class="ask" method="get" action="${askPath(agentId)}">
<label for="q">What a caller would say</label>
<div class="line"><input id="q" type="search" name="q" value="${q}" maxlength="1000" autocomplete="off" enterkeyhint="search" required${q === '' && html` autofocus`}><button>Ask</button></div>
<details${(mode !== 'hybrid' || at) && html` open`}><summary>Other ways and times</summary><fieldset class="modes"><legend class="unseen">Other ways and times</legend>${searchModes.map(
    (each) =>
      html`<label><input type="radio" name="mode" value="${each}"${each === mode && html` checked`}> ${w.modes[each]}</label>`,
  )}</fieldset>
<label for="at">As of</label><input id="at" type="datetime-local" name="at" value="${at}" min="1900-01-01T00:00" max="9998-12-31T23:59" aria-describedby="at-hint"><p id="at-hint" class="hint">What callers would be told then, in the time zone ${zone}. Empty for now.</p></details>
</form></search>`
}

/** Says at which time the answer was or will be given. */
export function timeView(asOf: string): Html {
  const time = new Date(asOf)
  return html`<div class="notice"><p>As of ${localTime(time)}, from the documents that are valid then. ${time.getTime() < Date.now() && 'Texts that changed since are those of then, where they are saved; hybrid search only.'}</p></div>`
}

export function examplesView(agentId: string, titles: Titled[]): Html {
  if (titles.length === 0)
    return html`<section class="empty">${icon('document')}<h2>There is nothing to find yet</h2><p>As soon as a document is ready, you can ask about it.</p>
<p><a class="button" href="${agentPage(agentId, 'documents')}">Go to documents</a></p></section>`
  const sentences = [w.example1, w.example2, w.example3]
  return html`<section class="examples"><h2>For example</h2><ul class="choices">${titles.map(({ title }, i) => {
    const q = sentences[i % sentences.length]!(title)
    return html`<li><a href="${askPath(agentId, { q })}">${q}</a></li>`
  })}</ul></section>`
}

/** What was found for a question, and what to do about it, for a key that may. */
export function trialView(
  agentId: string,
  { question, mayWrite }: { question: string; mayWrite: boolean },
  trial: Trial,
): Html {
  const { passages, level, value, words: sought, isByWords, isDegraded } = trial
  const [first] = passages
  const isEmpty = isByWords && sought.length === 0
  return html`<section class="trial" aria-label="${w.passages(passages.length)}">
${isDegraded && html`<p class="notice warn">The meaning of the question wasn’t available in time, so these were found by words only. The same can happen in a call.</p>`}
${level !== 'found' && (isEmpty ? html`<p class="notice">These words are said in every call, so there is nothing to search for.</p>` : html`<p class="notice warn">${first ? w.unanswered[level] : 'Nothing was found. Your agent would say that it doesn’t know.'}</p>`)}
${value && html`<p class="notice">On Vapi, Retell and MCP, your agent is given this first, so a caller would hear: “${value}”.</p>`}
${soughtView(trial)}
${
  mayWrite &&
  !isEmpty &&
  html`<div class="actions">${waysView(agentId, {
    question,
    found: first?.hit.document_id,
    document: level === 'found' ? first?.hit.document_id : undefined,
  })}</div>`
}
<ol class="hits">${passages.map((passage) => html`<li class="hit panel">${passageView(agentId, sought, passage)}</li>`)}</ol>
</section>`
}

function soughtView({ level, words: sought, passages, milliseconds: { total, embed, db } }: Trial): Html {
  const shown = (milliseconds: number) => milliseconds.toFixed(milliseconds < 10 ? 1 : 0)
  return html`<p class="sought">${levelView(level)} ${
    sought.length > 0 &&
    html`Searched for ${sought.map(
      ({ text, isKnown }, i) =>
        html`${i > 0 && ', '}<b>${text}</b>${!isKnown && html` <span class="unknown">(in no document)</span>`}`,
    )}. `
  }<span class="took">${passages.length > 0 && html`${w.passages(passages.length)}. `}Found in ${shown(total)} ms: ${shown(embed)} ms for the meaning of the question, ${shown(db)} ms in the database.</span></p>`
}

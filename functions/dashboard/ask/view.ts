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
<label for="q">${w.label}</label>
<div class="line"><input id="q" type="search" name="q" value="${q}" maxlength="1000" autocomplete="off" enterkeyhint="search" required${q === '' && html` autofocus`}><button>${w.submit}</button></div>
<details${(mode !== 'hybrid' || at) && html` open`}><summary>${w.more}</summary><fieldset class="modes"><legend class="unseen">${w.more}</legend>${searchModes.map(
    (each) =>
      html`<label><input type="radio" name="mode" value="${each}"${each === mode && html` checked`}> ${w.modes[each]}</label>`,
  )}</fieldset>
<label for="at">${w.at}</label><input id="at" type="datetime-local" name="at" value="${at}" min="1900-01-01T00:00" max="9998-12-31T23:59" aria-describedby="at-hint"><p id="at-hint" class="hint">${w.atHint(zone)}</p></details>
</form></search>`
}

/** Says at which time the answer was or will be given. */
export function timeView(asOf: string): Html {
  const time = new Date(asOf)
  return html`<div class="notice"><p>${w.asOf} ${localTime(time)}, ${w.validThen} ${time.getTime() < Date.now() && w.pastTexts}</p></div>`
}

export function examplesView(agentId: string, titles: Titled[]): Html {
  if (titles.length === 0)
    return html`<section class="empty">${icon('document')}<h2>${w.nothingReady}</h2><p>${w.nothingReadyLead}</p>
<p><a class="button" href="${agentPage(agentId, 'documents')}">${w.toDocuments}</a></p></section>`
  const sentences = [w.example1, w.example2, w.example3]
  return html`<section class="examples"><h2>${w.examples}</h2><ul class="choices">${titles.map(({ title }, i) => {
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
  const { passages, level, words: sought, isByWords, isDegraded } = trial
  const [first] = passages
  const isEmpty = isByWords && sought.length === 0
  return html`<section class="trial" aria-label="${w.passages(passages.length)}">
${isDegraded && html`<p class="notice warn">${w.degraded}</p>`}
${level !== 'found' && (isEmpty ? html`<p class="notice">${w.nothingSought}</p>` : html`<p class="notice warn">${first ? w.unanswered[level] : w.none}</p>`)}
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
    html`${w.sought} ${sought.map(
      ({ text, isKnown }, i) =>
        html`${i > 0 && ', '}<b>${text}</b>${!isKnown && html` <span class="unknown">(${w.unknown})</span>`}`,
    )}. `
  }<span class="took">${passages.length > 0 && html`${w.passages(passages.length)}. `}${w.took(shown(total), shown(embed), shown(db))}</span></p>`
}

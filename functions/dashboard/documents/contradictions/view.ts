import { html } from 'hono/html'
import { shortened } from '../../forms.ts'
import type { Html } from '../../layout.ts'
import { words } from '../../words.ts'
import type { Contradiction } from './find.ts'

const w = words.documents.contradictions
const maxPairs = 20
const maxPrices = 5
const maxText = 120

/** Takes the place of the link that asked for it. */
export function contradictionsView(found: Contradiction[], base: string): Html {
  return html`<section id="contradictions">${
    found.length > 0 &&
    html`<h2>${w.heading}</h2><p>${w.lead}</p>
<ul class="rows">${found.slice(0, maxPairs).map((each) => pairView(each, base))}</ul>`
  }</section>`
}

/** Without scripts a link; else it is followed once the page is there. */
export function contradictionsLink(base: string): Html {
  return html`<section id="contradictions" hx-get="${base}/contradictions" hx-trigger="load" hx-swap="outerHTML"><p class="hint"><a href="${base}/contradictions">${w.look}</a></p></section>`
}

function pairView({ documents: [one, other], isAlike, prices }: Contradiction, base: string) {
  return html`<li><div class="what"><p class="name"><a href="${base}/${one.id}">${one.title}</a> ${w.and} <a href="${base}/${other.id}">${other.title}</a></p>
<p class="hint">${isAlike && w.alike} ${prices.length > 0 && w.prices(prices.length)}</p>
${prices
  .slice(0, maxPrices)
  .map(
    ([first, second]) =>
      html`<p>${statementView(first, `${base}/${one.id}`)} – ${statementView(second, `${base}/${other.id}`)}</p>`,
  )}${prices.length > maxPrices && html`<p class="hint">${w.more(prices.length - maxPrices)}</p>`}</div></li>`
}

function statementView({ text, passage }: { text: string; passage: number }, address: string) {
  return html`<a href="${address}?passage=${passage}#passage-${passage}">${shortened(text, maxText)}</a>`
}

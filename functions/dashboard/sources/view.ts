import { html } from 'hono/html'
import type { SourceRow } from '../../../shared/sources/sources.ts'
import { icon } from '../icons.ts'
import { agentPage, type Html } from '../layout.ts'
import { documentPath } from '../paths.ts'
import { sentence } from '../sentences.ts'
import { ago, localTime } from '../times.ts'
import { words } from '../words.ts'
import type { ShownPage, Standing } from './pages.ts'

const w = words.sources
const tones = { ready: 'good', error: 'bad', deleting: 'work', queued: 'wait', reading: 'work' } as const

export const sourcePage = (agentId: string, sourceId: string) => `${agentPage(agentId, 'sources')}/${sourceId}`

export type Shown = SourceRow & { standing: Standing }

export function listView(agentId: string, sources: readonly Shown[], mayWrite: boolean): Html {
  if (sources.length === 0)
    return html`<section class="empty">${icon('document')}<h2>${w.none}</h2><p>${mayWrite ? w.noneHint : w.noneReadable}</p></section>`
  return html`<section class="panel"><ul class="rows">${sources.map(
    (
      source,
    ) => html`<li><div class="what"><p class="name"><a href="${sourcePage(agentId, source.id)}">${source.url}</a></p>
<p class="hint">${w.kind[source.kind]} · ${timesView(source)}</p></div>${stateView(source)}</li>`,
  )}</ul></section>`
}

function timesView({ page_count, checked_at, next_check_at }: SourceRow): Html {
  return html`${w.documents(page_count)} · ${checked_at ? html`${w.looked} ${ago(checked_at)}` : w.neverLooked}${
    next_check_at > new Date() && html` · ${w.next} ${localTime(next_check_at)}`
  }`
}

function stateView({ status, standing }: Shown): Html {
  const isRead = standing.is_under_way && status !== 'deleting'
  const state = isRead ? 'reading' : status === 'pending' ? 'queued' : status
  return html`<p class="state ${tones[state]}">${w.states[state]}</p>`
}

export interface Pages {
  pages: readonly ShownPage[]
  hasMore: boolean
  after: string
  isLeftOut: boolean
  mayWrite: boolean
}

/** A source and its pages, which asks for itself again while they are looked at. */
export function sourceView(agentId: string, source: Shown, shown: Pages): Html {
  const { standing, status, checked_at, error_message, notice } = source
  const { is_under_way, pages, looked, added, changed } = standing
  const { isLeftOut, after } = shown
  const address = sourcePage(agentId, source.id)
  const to = (more: { show?: string | false; after?: string }) => {
    const given = Object.entries(more).filter((each): each is [string, string] => Boolean(each[1]))
    return given.length > 0 ? `${address}?${new URLSearchParams(given)}` : address
  }
  const show = isLeftOut && 'left_out'
  return html`<section id="source" hx-get="${to({ show, after })}" hx-swap="outerMorph"
  hx-trigger="documents-changed from:body${(is_under_way || status === 'pending' || status === 'deleting') && ', every 3s'}">
<div class="standing"><div class="document-state" aria-live="polite">${stateView(source)}</div><p class="about">${timesView(source)}</p>
${is_under_way && html`<p class="detail">${w.progress(looked, pages)}</p>${pages > 0 && html`<progress value="${looked}" max="${pages}" aria-label="${w.states.reading}"></progress>`}`}</div>
${error_message !== null && html`<div class="notice bad"><p><strong>${sentence(error_message)}</strong> ${source.page_count > 0 && w.stays} ${w.advice}</p></div>`}
${notice !== null && html`<p class="notice warn">${notice}</p>`}
${checked_at !== null && !is_under_way && html`<p>${w.lastLook(added, changed)}</p>`}
<section class="panel"><h2>${w.pages}</h2>
<nav class="filters" aria-label="${w.filter}"><ul>${(['all', 'left_out'] as const).map(
    (group) =>
      html`<li><a href="${to({ show: group === 'left_out' && group })}"${isLeftOut === (group === 'left_out') && html` aria-current="true"`}>${w.groups[group]} <span class="count">${group === 'all' ? pages : standing.left_out}</span></a></li>`,
  )}</ul></nav>
${shown.pages.length === 0 && html`<p class="none">${isLeftOut ? w.noneLeftOut : w.noPages}</p>`}
<ul class="rows">${shown.pages.map((page) => pageView(agentId, page, shown.mayWrite && `${address}/follow`))}</ul>
${
  (shown.hasMore || after) &&
  html`<nav class="pages" aria-label="${w.pages}">${after && html`<a href="${to({ show })}">${w.first}</a>`}
${shown.hasMore && html`<a href="${to({ show, after: shown.pages.at(-1)!.address })}">${w.more}</a>`}</nav>`
}</section></section>`
}

/** @param follow where a page is followed again that is edited or deleted by hand */
function pageView(agentId: string, { address, title, document_id, ...page }: ShownPage, follow: string | false): Html {
  const { left_out, looked_at, gone_since, change, by_hand } = page
  return html`<li><div class="what">${document_id !== null && html`<p class="name"><a href="${documentPath(agentId, document_id)}">${title}</a></p>`}
<p class="hint"><a href="${address}">${address}</a> · ${looked_at ? html`${w.looked} ${ago(looked_at)}` : w.neverLooked}</p>
${by_hand && html`<p>${w.byHand[by_hand]}</p>`}
${left_out !== null && !by_hand && html`<p>${document_id === null ? w.leftOut : w.differs} ${left_out}</p>`}
${gone_since && html`<p>${w.gone} ${ago(gone_since)}.</p>`}</div>
${by_hand && follow && html`<form method="post" action="${follow}"><input type="hidden" name="address" value="${address}"><button class="plain">${w.followAgain}</button></form>`}
${change && html`<p class="state work">${w.change[change]}</p>`}</li>`
}

export function sourceActions(address: string): Html {
  return html`<form method="post" action="${address}/refresh"><button class="plain">${w.lookNow}</button></form>
<a class="button plain" href="${address}/edit">${w.edit}</a> <a class="button quiet danger" href="${address}/delete">${w.delete}</a>`
}

export function deleteView(address: string, { url, page_count }: SourceRow): Html {
  return html`<section class="panel sheet"><p>${url}</p><p>${w.deletion.lead(page_count)}</p>
<form class="actions" method="post" action="${address}/delete"><button class="danger">${w.deletion.confirm}</button>
<a class="button plain" href="${address}">${words.cancel}</a></form></section>`
}

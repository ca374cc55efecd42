import { html } from 'hono/html'
import type { Website } from '../../../shared/websites/websites.ts'
import { agentPage, type Html } from '../layout.ts'
import { emptyView, filtersView, pagesView, rowsView } from '../list.ts'
import { documentPath, withQuery } from '../paths.ts'
import { counted, number, sentence, siteName } from '../sentences.ts'
import { ago, localTime } from '../times.ts'
import type { ShownPage, Standing } from './pages.ts'

const kinds = { site: 'Website', page: 'One page', sitemap: 'Sitemap' }
const states = {
  ready: ['Up to date', 'good'],
  error: ['Couldn’t be read', 'bad'],
  queued: ['Waiting to be read', 'wait'],
  reading: ['Being read', 'work'],
  deleting: ['Being deleted', 'work'],
} as const
const byHand = {
  edited: 'Edited by hand: it no longer changes with the page.',
  deleted: 'Deleted by hand: callers get no answers from this page.',
}

export const websitePage = (agentId: string, sourceId: string) => `${agentPage(agentId, 'sources')}/${sourceId}`

export type Shown = Website & { standing: Standing }

export function listView(agentId: string, sources: readonly Shown[], mayWrite: boolean): Html {
  if (sources.length === 0)
    return emptyView(
      'document',
      'No websites yet',
      mayWrite
        ? 'Add the address of a website. Each of its pages becomes a document, which changes with the page.'
        : 'Someone who can add documents has to add the first one.',
    )
  return rowsView(
    sources.map((source) => {
      return html`<li><div class="what"><p class="name"><a href="${websitePage(agentId, source.id)}">${siteName(source.url)}</a></p>
<p class="hint">${kinds[source.kind]} · ${timesView(source)}</p></div>${stateView(source)}</li>`
    }),
  )
}

function timesView({ page_count, checked_at, next_check_at }: Website): Html {
  return html`${page_count === 1 ? '1 page is a document' : `${number(page_count)} pages are documents`} · ${checked_at ? html`looked at ${ago(checked_at)}` : 'Not looked at yet'}${
    next_check_at > new Date() && html` · next look ${localTime(next_check_at)}`
  }`
}

function stateView({ status, standing }: Shown): Html {
  const isRead = standing.is_under_way && status !== 'deleting'
  const [label, tone] = states[isRead ? 'reading' : status === 'pending' ? 'queued' : status]
  return html`<p class="state ${tone}">${label}</p>`
}

export interface Pages {
  pages: readonly ShownPage[]
  hasMore: boolean
  after: string
  isLeftOut: boolean
  mayWrite: boolean
}

/** Shows a website and its pages. Reloads itself during a crawl. */
export function websiteView(agentId: string, source: Shown, shown: Pages): Html {
  const { standing, status, error_message, notice } = source
  const { is_under_way, pages, looked } = standing
  const { isLeftOut, after } = shown
  const address = websitePage(agentId, source.id)
  const to = (more: { show?: string | undefined; after?: string }) => withQuery(address, more)
  const show = isLeftOut ? 'left_out' : undefined
  return html`<section id="source" hx-get="${to({ show, after })}" hx-swap="outerMorph"
  hx-trigger="documents-changed from:body${(is_under_way || status === 'pending' || status === 'deleting') && ', every 3s'}">
<div class="standing"><div class="document-state" aria-live="polite">${stateView(source)}</div><p class="about">${timesView(source)}</p>
${is_under_way && html`<p class="detail">${pages === 0 ? 'Looking for pages' : `${number(looked)} of ${counted(pages, 'page')} looked at so far`}</p>${pages > 0 && html`<progress value="${looked}" max="${pages}" aria-label="Being read"></progress>`}`}</div>
${error_message !== null && html`<div class="notice bad"><p><strong>${sentence(error_message)}</strong> ${source.page_count > 0 && 'Its documents stay as they were, and callers still get answers from them.'} Cuecard will look at it again automatically. Open the address in a browser: if it works there, choose “Look now”; if it’s wrong or has moved, delete this website and add the right address.</p></div>`}
${notice !== null && html`<p class="notice warn">${notice}</p>`}
<section class="panel"><h2>Pages</h2>
${filtersView('Filter pages', [
  { name: 'All', path: address, count: pages, isCurrent: !isLeftOut },
  { name: 'Left out', path: to({ show: 'left_out' }), count: standing.left_out, isCurrent: isLeftOut },
])}
${shown.pages.length === 0 && html`<p class="none">${isLeftOut ? 'No page is left out.' : 'No pages yet.'}</p>`}
<ul class="rows">${shown.pages.map((page) => pageView(agentId, page, shown.mayWrite && `${address}/follow`))}</ul>
${pagesView(
  ['First pages', after && to({ show })],
  ['Further pages', shown.hasMore && to({ show, after: shown.pages.at(-1)!.address })],
)}</section></section>`
}

/** @param follow the path that follows an edited or deleted page again */
function pageView(agentId: string, { address, title, document_id, ...page }: ShownPage, follow: string | false): Html {
  const { left_out, looked_at, gone_since, by_hand } = page
  return html`<li><div class="what">${document_id !== null && html`<p class="name"><a href="${documentPath(agentId, document_id)}">${title}</a></p>`}
<p class="hint"><a href="${address}">${address}</a> · ${looked_at ? html`looked at ${ago(looked_at)}` : 'Not looked at yet'}</p>
${by_hand && html`<p>${byHand[by_hand]}</p>`}
${left_out !== null && !by_hand && html`<p>${document_id === null ? 'Left out:' : 'Differs from the page:'} ${left_out}</p>`}
${gone_since && html`<p>This page wasn’t found on the website. If it’s still missing a day later, its document is deleted. First missed ${ago(gone_since)}.</p>`}</div>
${by_hand && follow && html`<form method="post" action="${follow}"><input type="hidden" name="address" value="${address}"><button class="plain">Follow the website again</button></form>`}</li>`
}

export function websiteActions(address: string): Html {
  return html`<form method="post" action="${address}/refresh"><button class="plain">Look now</button></form>
<a class="button plain" href="${address}/edit">Change</a> <form method="post" action="${address}/delete"><button class="quiet danger">Delete</button></form>`
}

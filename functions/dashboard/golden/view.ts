import { html } from 'hono/html'
import type { KeptGolden } from '../../../shared/golden/store.ts'
import { icon } from '../icons.ts'
import type { Html } from '../layout.ts'
import { askPath, goldenPage } from '../paths.ts'
import { ago, localDay } from '../times.ts'
import { words } from '../words.ts'

const w = words.golden

interface Listed {
  questions: readonly KeptGolden[]
  /** Titles of the expected documents, by id. */
  titles: ReadonlyMap<string, string>
  mayWrite: boolean
}

/** Those that fail come first. */
export function listView(agentId: string, { questions, ...shown }: Listed): Html {
  const failing = questions.filter(({ passed }) => passed === false)
  const others = questions.filter(({ passed }) => passed !== false)
  if (questions.length === 0)
    return html`<section class="empty">${icon('check')}<h2>No golden questions yet</h2><p>Ask a question, and make it a golden one if its answer is right and has to stay right.</p>
<p><a href="${askPath(agentId)}">Ask</a></p></section>`
  return html`<section class="panel"><ul class="rows">${[...failing, ...others].map((question) => rowView(agentId, question, shown))}</ul></section>`
}

function rowView(agentId: string, row: KeptGolden, { titles, mayWrite }: Omit<Listed, 'questions'>): Html {
  const { id, question, passed } = row
  const address = `${goldenPage(agentId)}/${id}`
  return html`<li id="question-${id}"><div class="what"><p class="name">“${question}”</p>${row.history.length > 0 && html`<p class="hint">${w.after(row.history)}</p>`}<p class="hint">${aboutView(row, titles)}</p></div>
<p class="state ${passed === null ? '' : passed ? 'good' : 'bad'}">${passed === null ? 'Not checked yet' : passed ? (row.rank === null ? 'Passes' : `Passes, rank ${row.rank}`) : 'Fails'}</p>
<div class="actions"><a class="button quiet" href="${askPath(agentId, { q: question })}" aria-label="${w.of('Ask', question)}">Ask</a>
${
  mayWrite &&
  html`<a class="button quiet" href="${address}/edit" aria-label="${w.of('Edit', question)}">Edit</a>
<a class="button quiet danger" href="${address}/delete" aria-label="${w.of('Delete', question)}">Delete</a>`
}</div></li>`
}

function aboutView({ document_id, words, within, ...row }: KeptGolden, titles: Listed['titles']): Html {
  const title = document_id === null ? undefined : titles.get(document_id)
  const named = document_id === null ? undefined : title === undefined ? 'a deleted document' : `“${title}”`
  return html`${row.expects_nothing ? 'Nothing should answer it' : w.expects.passage(named, words, within)} · ${w.onFailure[row.on_failure]}${
    row.as_of && html` · asked as of ${localDay(row.as_of)}`
  }${row.checked_at && html` · checked ${ago(row.checked_at)}`}`
}

export function listActions(agentId: string, hasQuestions: boolean): Html {
  const address = goldenPage(agentId)
  return html`${hasQuestions && html`<form method="post" action="${address}/run"><button class="plain">Run all now</button></form>`}
<a class="button plain" href="${address}/new">${w.add}</a>`
}

export function deleteView(agentId: string, { id, question }: KeptGolden): Html {
  return html`<section class="panel sheet"><p>“${question}”</p><p>Changes that take its answer away will no longer be noticed.</p>
<form class="actions" method="post" action="${goldenPage(agentId)}/${id}/delete"><button class="danger">Delete question</button>
<a class="button plain" href="${goldenPage(agentId)}">${words.cancel}</a></form></section>`
}

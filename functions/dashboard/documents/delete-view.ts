import { html } from 'hono/html'
import { words } from '../words.ts'
import type { Overview } from './overview.ts'

const w = words.documents.delete

export function deleteView(base: string, { id, title, edits, source_url }: Overview) {
  return html`<p>${w.consequence(title)} ${source_url !== null && w.file} ${w.final}</p>
<form method="post" action="${base}/${id}/delete"><input type="hidden" name="edits" value="${edits}">
<div class="actions"><button class="danger">${w.confirm}</button>
<a class="button plain" href="${base}/${id}">${w.keep}</a></div></form>`
}

/** Messages for undo.js, on the link that deletes a document. */
export function deletionWords(title: string) {
  return html`data-delete data-going="${w.consequence(title)}" data-gone="${w.done(title)}" data-kept="${w.undone(title)}"
  data-changed="${w.changed(title)}" data-failed="${w.unreachable(title)}"`
}

/** What undo.js needs to delete from the list. */
export function deletionTemplate() {
  return html`<div id="deletions"></div>
<template id="deletion"><div class="notice" role="alert"><p></p><button type="button" class="quiet">${words.undo}</button></div></template>`
}

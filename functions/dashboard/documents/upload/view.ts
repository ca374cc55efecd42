import { html } from 'hono/html'
import { fileExtensions } from '../../../../shared/files/file-types.ts'
import { words } from '../../words.ts'

const w = words.documents.upload

/** @param documentId the document that one file is for; without it, each file makes a document */
export function uploadView(base: string, documentId?: string) {
  return html`<section id="upload" class="upload" data-address="${base}" ${documentId && html`data-replaces="${documentId}"`} data-words="${JSON.stringify({ ...w.ofScript, cancel: words.cancel })}">
<button type="button" class="drop" data-choose aria-describedby="upload-accepted" hidden><strong>${documentId ? 'Drop the file here, or choose it' : 'Drop files here, or choose them'}</strong>
<small id="upload-accepted">PDF, Word, Excel, PowerPoint, OpenDocument, RTF, CSV, web pages, e-mails (.eml), EPUB, Markdown and text files, scans and photos (JPG, PNG), at most 50 MB each.</small></button>
<input type="file" ${!documentId && 'multiple'} hidden accept="${fileExtensions.map((extension) => `.${extension}`).join(',')}" aria-label="Upload files">
<noscript><p>Uploading files needs JavaScript, which is off in your browser. You can still write a text.</p></noscript>
<ul aria-label="Uploads"></ul>
<template><li><p><strong class="name"></strong> <span class="message" role="status"></span> <span class="percent" aria-hidden="true"></span></p>
<div class="actions"><button type="button" class="plain" data-retry hidden>Try again</button>
<button type="button" class="quiet" data-cancel>${words.cancel}</button></div>
<progress max="1" value="0"></progress></li></template>
</section>`
}

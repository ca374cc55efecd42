import { html } from 'hono/html'
import { fileKindOf, namedTypeOf } from '../../../shared/files/file-types.ts'
import { fileNameOfKey, keyOfUrl } from '../../../shared/files/file-url.ts'
import { inLine } from '../../../shared/text/plain-line.ts'
import { assetPath } from '../assets.ts'
import { counted, number } from '../sentences.ts'
import type { Overview } from './overview.ts'
import type { Passage } from './passages.ts'
import { needsFile } from './state.ts'

/** `{page}`, `{pages}` and `{passage}` stand for numbers. */
const ofScript = {
  loading: 'Loading the file',
  failed: 'The file couldn’t be shown. You can download it.',
  page: 'Page {page} of {pages}',
  marked: 'Part {passage} is marked on page {page}.',
  notFound: 'Part {passage} wasn’t found on the pages, which may be pictures.',
}
const types = {
  pdf: 'a PDF or picture',
  docx: 'a text document, such as Word’s',
  csv: 'a table',
  txt: 'text, such as a web page',
  manual: 'text',
}
const doubts = [
  ['doubtful_layout', 'columns or tables may have been mixed up.'],
  ['doubtful_words', 'words may have been misread.'],
] as const
const listed = new Intl.ListFormat('en')

/** The way in which a browser can show the document's file. Undefined if it can't, or if there is no file. */
export function originalOf(document: Overview): 'pdf' | 'picture' | undefined {
  const { source_type, source_url, awaits_file } = document
  if (source_url === null || awaits_file || needsFile(document) !== undefined) return undefined
  if (/\.(png|jpe?g|webp)$/i.test(source_url)) return 'picture'
  return fileKindOf(source_type, source_url) === 'pdf' ? 'pdf' : undefined
}

/** Warns of a file whose name contradicts its type, of parts that were left out, and of pages that may have been misread as a whole. */
export function fileNotesView({ file_notes, source_type, source_url }: Overview) {
  const named = namedTypeOf(source_type, source_url)
  const notes = doubts.map(([code, doubt]) => {
    const pages = [
      ...new Set(file_notes.flatMap((note) => (note.code === code && note.text === '' ? [note.page] : []))),
    ]
    return (
      pages.length > 0 &&
      html`<p class="notice warn">Please check ${pages.length === 1 ? 'page' : 'pages'} ${listed.format(pages.map(number))} against the original: ${doubt}</p>`
    )
  })
  const leftOut = file_notes.filter((note) => 'kind' in note)
  return [
    named &&
      html`<p class="notice warn">By its name the file is ${types[named]}, but it contains ${types[source_type]}. Check that it’s the right file.</p>`,
    ...leftOut.map(
      ({ kind, count }) =>
        html`<p class="notice warn">${counted(count, kind.replaceAll('_', ' ').replace(/s$/, ''))} ${count === 1 ? 'was' : 'were'} left out.</p>`,
    ),
    ...notes,
  ]
}

/** The numbers of passages with words that may have been misread. */
export function doubtfulPassages({ file_notes }: Overview, passages: Passage[]): Set<number> {
  const texts = file_notes.flatMap((note) => ('text' in note && inLine(note.text)) || [])
  const isDoubtful = ({ content }: Passage) => texts.some((text) => inLine(content).includes(text))
  return new Set(texts.length === 0 ? [] : passages.filter(isDoubtful).map(({ chunk_index }) => chunk_index + 1))
}

/** Shows the uploaded file. original.js draws its pages. */
export function originalView(base: string, { id, source_url }: Overview, kind: 'pdf' | 'picture') {
  const file = `${base}/${id}/file`
  const name = fileNameOfKey(keyOfUrl(source_url!))
  if (kind === 'picture')
    return html`<section class="original"><h2>Original</h2>
<div class="leaves" tabindex="0" role="group" aria-label="Original"><img src="${file}" alt="${name}"></div></section>`
  return html`<section id="original" class="original" data-file="${file}" data-worker="${assetPath('pdf-worker.js')}" data-assets="/dashboard/assets/" data-words="${JSON.stringify(ofScript)}">
<h2>Original</h2><p class="hint" role="status"></p>
<div class="leaves" tabindex="0" role="group" aria-label="Pages of ${name}"></div>
<noscript><p>Showing the file needs JavaScript, which is off in your browser. You can download it.</p></noscript>
<template><div class="leaf"><canvas role="img"></canvas></div></template></section>`
}

import { html } from 'hono/html'
import type { Chunk } from '../../../shared/documents/contract/chunk.ts'
import { fileKindOf } from '../../../shared/files/file-types.ts'
import { fileNameOfKey, keyOfUrl } from '../../../shared/files/file-url.ts'
import { inLine } from '../../../shared/text/plain-line.ts'
import { counted, number } from '../sentences.ts'
import type { Overview } from './overview.ts'
import { needsFile } from './state.ts'

export type Passage = Pick<Chunk, 'chunk_index' | 'content' | 'metadata'>

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

/** Warns of parts that were left out, and of pages that may have been misread as a whole. */
export function fileNotesView({ file_notes }: Overview) {
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
    ...leftOut.map(
      ({ kind, count }) =>
        html`<p class="notice warn">${counted(count, kind.replaceAll('_', ' ').replace(/s$/, ''))} ${count === 1 ? 'was' : 'were'} left out.</p>`,
    ),
    ...notes,
  ]
}

/** The numbers of passages with words that may have been misread. */
export function doubtfulPassages({ file_notes }: Overview, passages: readonly Passage[]): Set<number> {
  const texts = file_notes.flatMap((note) => ('text' in note && inLine(note.text)) || [])
  const isDoubtful = ({ content }: Passage) => texts.some((text) => inLine(content).includes(text))
  return new Set(texts.length === 0 ? [] : passages.filter(isDoubtful).map(({ chunk_index }) => chunk_index + 1))
}

export function pictureView(base: string, { id, source_url }: Overview) {
  const name = fileNameOfKey(keyOfUrl(source_url!))
  return html`<section class="text"><h2>Original</h2><img src="${base}/${id}/file" alt="${name}"></section>`
}

import { getDocumentProxy, getResolvedPDFJS } from 'unpdf'
import type { PDFDocumentProxy, PDFPageProxy } from 'unpdf/pdfjs'
import type { ExtractionNote } from '../../../../shared/database/tables.ts'
import { maxContentBytes } from '../../../../shared/documents/contract/max-content-bytes.ts'
import { type Block, plain } from '../../../../shared/text/blocks.ts'
import { Unreadable } from '../../../../shared/text/unreadable.ts'
import { leftOutNotes } from '../left-out.ts'
import { withoutPageNumber } from '../page-number.ts'
import { withAnnotations } from './annotations.ts'
import { joinPages } from './join-pages.ts'
import { type RecognisedPage, recognised } from './ocr/recognise.ts'
import { type PageContent, pageContent } from './page-content.ts'
import { type LaidOutPage, laidOutPages } from './page-layout.ts'
import { notesOn, type Progress } from './page-notes.ts'
import { pagePictures } from './page-pictures.ts'
import type { Matrix } from './paint-steps.ts'
import { type Layer, paintedText } from './painted-text.ts'
import { inReadingOrder } from './right-to-left.ts'
import { mirrored, rulingsOf } from './rulings.ts'
import { seenWords } from './seen-words.ts'
import { type TaggedPage, taggedBlocks } from './tagged-page.ts'

const maxPages = 5_000
/** Larger pictures are left out. */
const maxPicturePixels = 50_000_000
/** A page with fewer letters may be a scan, if pictures cover this share of it. */
const scans = [
  { letters: 20, share: 0.02 },
  { letters: 100, share: 0.5 },
]

type PdfContent = { blocks: Block[]; notes: ExtractionNote[]; pages: number[]; titles: (string | undefined)[] }

/** Reads a page by its tags if they have a table, else by its layout. @throws Unreadable */
export async function readPdf(file: Buffer, progress: Progress): Promise<PdfContent> {
  const pdf = await opened(file)
  try {
    if (pdf.numPages < 1) throw new Unreadable('damaged')
    if (pdf.numPages > maxPages) throw new Unreadable('too_many_pages')
    const pages = await readPages(pdf, progress)
    const contents = pages.flatMap(({ content }) => content ?? [])
    rejectScrambled(contents)
    const { titles, isXfa } = await propertiesOf(pdf)
    if (isXfa && isNotice(contents)) throw new Unreadable('adobe_form')
    const laidOut = new Map(laidOutPages(contents).map((layout, index) => [contents[index], layout]))
    const read = pages.map((page) => pageBlocks(page, laidOut.get(page.content)))
    const notes = pages.flatMap(({ number, doubtful }, index) => notesOn(number, read[index]!.isDoubtful, doubtful))
    const blocks = [...artifactLines(pages), ...joinPages(read.map((page) => page.blocks))]
    notes.push(...leftOutNotes(unseenParts(pages)))
    return { blocks, notes, pages: pages.map(({ number }) => number), titles }
  } finally {
    await pdf.loadingTask.destroy()
  }
}

type Page = {
  number: number
  tagged?: TaggedPage | undefined
  content?: PageContent
  letters: number
  doubtful?: string[]
  /** True if it has a picture that cannot be decoded. */
  isIncomplete?: boolean
  unseen: { layers: Set<string>; passages: number; struck: number }
}

type IsOn = (layer: Layer) => boolean

async function opened(file: Buffer): Promise<PDFDocumentProxy> {
  try {
    // A copy, since PDF.js takes over the memory.
    return await getDocumentProxy(new Uint8Array(file), {
      verbosity: 0,
      stopAtErrors: false,
      maxImageSize: maxPicturePixels,
    })
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    throw new Unreadable(name === 'PasswordException' ? 'encrypted' : 'damaged', error)
  }
}

/** The titles of the XMP metadata and of the information dictionary, and whether it has a form of Adobe's. */
async function propertiesOf(pdf: PDFDocumentProxy): Promise<{ titles: (string | undefined)[]; isXfa: boolean }> {
  const { info, metadata } = await pdf.getMetadata().catch(() => ({ info: {}, metadata: undefined }))
  const titles: unknown[] = [metadata?.get('dc:title'), 'Title' in info ? info.Title : undefined]
  const isXfa = 'IsXFAPresent' in info && info.IsXFAPresent === true
  return { titles: titles.map((title) => (typeof title === 'string' ? title : undefined)), isXfa }
}

/** Says which layers are on when a reader opens the file; all if it does not say so properly. */
async function layersOf(pdf: PDFDocumentProxy): Promise<IsOn> {
  const config = await pdf.getOptionalContentConfig().catch(() => undefined)
  return (layer) => config?.isVisible(layer) ?? true
}

async function readPages(pdf: PDFDocumentProxy, progress: Progress): Promise<Page[]> {
  const pages: Page[] = []
  let letters = 0
  let failed = 0
  const isOn = await layersOf(pdf)
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pageOf(pdf, number, isOn, progress)
    if (!page) {
      failed++
      continue
    }
    pages.push(page)
    letters += page.letters
    if (letters > maxContentBytes) throw new Unreadable('too_much_text')
  }
  if (failed > pdf.numPages / 2) throw new Unreadable('damaged')
  if (letters === 0 && pages.some(({ isIncomplete }) => isIncomplete)) throw new Unreadable('image')
  return pages
}

async function pageOf(
  pdf: PDFDocumentProxy,
  number: number,
  isOn: IsOn,
  progress: Progress,
): Promise<Page | undefined> {
  let page: PDFPageProxy | undefined
  try {
    page = await pdf.getPage(number)
    const { OPS } = await getResolvedPDFJS()
    const operators = await page.getOperatorList()
    const painted = paintedText(page, operators, OPS, isOn)
    const { words: seen, ...hidden } = seenWords(painted)
    const { words: read, struck } = await withAnnotations(page, painted, seen)
    const { width, height, transform } = page.getViewport({ scale: 1 })
    const { words, isMirrored } = inReadingOrder(read, width)
    const tagged = await taggedBlocks(page, words)
    const unseen = { ...hidden, struck }
    if (tagged?.blocks.some(holdsTable)) return { number, tagged, letters: tagged.letters, unseen }
    const rulings = rulingsOf(operators, OPS, transform as unknown as Matrix)
    const shown = isMirrored ? rulings.map((ruling) => mirrored(ruling, width)) : rulings
    const content = pageContent(words, { width, height, rulings: shown })
    const letters = lettersOn(content)
    const share = scans.find((scan) => letters < scan.letters)?.share
    if (!share) return { number, tagged, content, letters, unseen }
    const { pictures, isIncomplete } = await pagePictures(page, operators, OPS, share)
    if (pictures.length === 0) return { number, tagged, content, letters, isIncomplete, unseen }
    progress(number - 1, pdf.numPages)
    return { ...withWords(content, number, await recognised(pictures, content)), unseen }
  } catch (error) {
    if (error instanceof RangeError) throw new Unreadable('too_complex', error)
    return undefined
  } finally {
    page?.cleanup()
  }
}

/** Joins the recognised words with the page's own, since a scanner may have written words that the picture does not show. */
function withWords(content: PageContent, number: number, scan: RecognisedPage): Omit<Page, 'unseen'> {
  const words = [...content.words, ...scan.content.words]
  const whole = { ...scan.content, words, turned: content.turned, rulings: content.rulings }
  return { number, content: whole, letters: lettersOn(whole), doubtful: scan.doubtful }
}

/** Prefers the tags' exact headings, unless only the layout has a table. */
function pageBlocks({ tagged }: Page, laidOut: LaidOutPage | undefined): LaidOutPage {
  const byTags = tagged && { blocks: tagged.blocks, isDoubtful: false }
  return (byTags && !laidOut?.blocks.some(holdsTable) ? byTags : laidOut) ?? { blocks: [], isDoubtful: false }
}

/** The running heads of pages that are read by their tags, once and without page numbers. */
function artifactLines(pages: readonly Page[]): Block[] {
  const lettersIn = (text: string) => text.replace(/[^\p{L}\d]/gu, '')
  const shown = pages.map(({ tagged }) => (tagged?.artifacts.length ? lettersIn(plain(tagged.blocks)) : '')).join('\n')
  const lines = pages.flatMap(({ number, tagged }) =>
    (tagged?.artifacts ?? []).map((line) => withoutPageNumber(line, number, pages.length)),
  )
  const text = [...new Set(lines)].filter((line) => line && !shown.includes(lettersIn(line))).join('\n')
  return text ? [{ kind: 'paragraph', text }] : []
}

function holdsTable(block: Block): boolean {
  return block.kind === 'table' || (block.kind === 'quote' && block.blocks.some(holdsTable))
}

function lettersOn({ words, turned }: PageContent): number {
  return [...words.map(({ text }) => text), ...turned].reduce((sum, text) => sum + text.length, 0)
}

/** How many parts of each kind were left out on all pages; a layer may be on several. */
function unseenParts(pages: readonly Page[]): Record<string, number> {
  const sum = (key: 'passages' | 'struck') => pages.reduce((total, { unseen }) => total + unseen[key], 0)
  const layers = new Set(pages.flatMap(({ unseen }) => [...unseen.layers]))
  return { hidden_layers: layers.size, hidden_passages: sum('passages'), struck_passages: sum('struck') }
}

/** True for the single page that a dynamic form shows in other programs than Adobe's: it asks to wait or names them, and says no number. */
function isNotice([page, ...others]: readonly PageContent[]): boolean {
  if (!page || others.length > 0 || page.words.some(({ annotation }) => annotation !== undefined)) return false
  const text = page.words.map((word) => word.text).join(' ')
  const says = text.replace(/\b(?:https?:|www\.)\S+|\b(?:Reader|Acrobat) \d+/g, '')
  return !/\d/.test(says) && (/\b(?:PDF|Adobe|Acrobat)\b/.test(text) ? text.length < 2_000 : text.length < 60)
}

function rejectScrambled(pages: readonly PageContent[]): void {
  const text = pages.map(({ words }) => words.map((word) => word.text).join('')).join('')
  const meaningless = text.match(/[\ufffd\ue000-\uf8ff\u0080-\u009f]|[\u{f0000}-\u{10ffff}]/gu)?.length ?? 0
  if (meaningless > text.length * 0.3) throw new Unreadable('scrambled')
}

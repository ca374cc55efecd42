import { type Block, plain } from '../../../../shared/text/blocks.ts'
import { markBlock } from '../page-marks.ts'
import { characters, entriesNamed, targetsIn } from '../zip-package.ts'

const maxLetters = 100
const usualSize = 1_800
const level = 2

type Box = { y: number; size: number; paragraphs: string[] }

/** Makes headings of titles that are plain text boxes, and puts them first: the topmost of a slide, in larger letters than the others. */
export async function withSlideTitles(blocks: readonly Block[], file: Buffer): Promise<Block[]> {
  const titled = [...blocks]
  for (const slide of (await entriesNamed(file, /^ppt\/slides\/slide\d+\.xml$/)).values()) {
    const xml = slide.toString()
    const title = /<p:ph [^<>]*type="(?:title|ctrTitle)"/.test(xml) ? undefined : titleOf(boxesIn(xml))
    const at = titled.findIndex((block) => block.kind === 'paragraph' && block.text.trim() === title)
    if (!title || at < 0) continue
    const [first = ''] = paragraphsIn(xml)
    const start = titled.slice(0, at).findLastIndex((block) => first !== title && plain([block]).startsWith(first))
    titled.splice(at, 1)
    titled.splice(start < 0 ? at : start, 0, { kind: 'heading', level, text: title })
  }
  return titled
}

/** Marks the beginnings of slides whose first words or headings are found. The pages are the numbers of all slides, including hidden ones. */
export async function withSlideMarks(blocks: readonly Block[], file: Buffer) {
  const parts = await entriesNamed(
    file,
    /^ppt\/(presentation\.xml|_rels\/presentation\.xml\.rels|slides\/slide\d+\.xml)$/,
  )
  const xml = (name: string) => parts.get(`ppt/${name}`)?.toString() ?? ''
  const slides = targetsIn(xml('_rels/presentation.xml.rels'), 'ppt')
  const order = [...xml('presentation.xml').matchAll(/<p:sldId [^<>]*\br:id="([^"]*)"/g)]
  const starts = new Map<Block, number>()
  let from = 0
  for (const [index, [, id]] of order.entries()) {
    const paragraphs = paragraphsIn(xml(slides.get(id) ?? ''))
    const begins = (block: Block) =>
      block.kind === 'heading' ? paragraphs.includes(block.text.trim()) : plain([block]).startsWith(paragraphs[0]!)
    const at = paragraphs.length > 0 ? blocks.findIndex((block, i) => i >= from && begins(block)) : -1
    if (at < 0) continue
    starts.set(blocks[at]!, index)
    from = at + 1
  }
  const content = blocks.flatMap((block) => (starts.has(block) ? [markBlock(starts.get(block)!), block] : [block]))
  return { content, pages: order.map((_, index) => index + 1) }
}

function titleOf(boxes: readonly Box[]): string | undefined {
  const [top, ...others] = boxes.toSorted((a, b) => a.y - b.y)
  const largest = Math.max(usualSize, ...others.map(({ size }) => size))
  const [text = '', ...more] = top?.paragraphs ?? []
  return top && more.length === 0 && text.length <= maxLetters && top.size > largest ? text : undefined
}

function boxesIn(xml: string): Box[] {
  const shapes = xml
    .split('<p:sp>')
    .slice(1)
    .map((shape) => shape.split('</p:sp>', 1)[0]!)
  return shapes.flatMap((shape) => {
    const sizes = [...shape.matchAll(/<a:rPr [^<>]*\bsz="(\d+)"/g)].map(([, size]) => Number(size))
    const y = Number(/<a:off [^<>]*\by="(-?\d+)"/.exec(shape)?.[1] ?? Number.NaN)
    const paragraphs = paragraphsIn(shape)
    return paragraphs.length > 0 && !Number.isNaN(y) ? [{ y, size: Math.max(0, ...sizes), paragraphs }] : []
  })
}

function paragraphsIn(xml: string): string[] {
  return xml
    .split('</a:p>')
    .map((part) => characters([...part.matchAll(/<a:t>([^<]*)/g)].map(([, text]) => text).join('')).trim())
    .filter(Boolean)
}

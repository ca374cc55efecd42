import { createHash } from 'node:crypto'
import { atOnce, type Steps } from '../concurrency/steps.ts'
import { idOfHash } from '../ids.ts'
import { ContextLines, type Repeated } from './context-lines.ts'
import { type Block, markdownBlocks, type Strength, strength } from './markdown-blocks.ts'
import { type Atoms, joinSeams } from './seam-joining.ts'
import {
  clusterSeams,
  lineSeams,
  paragraphSeams,
  type Seams,
  sentenceSeams,
  stanzaSeams,
  wordSeams,
} from './text-seams.ts'
import { TokenCounter } from './token-counter.ts'

export interface ChunkSize {
  targetTokens: number
  overlapTokens: number
}

export const standardSize: ChunkSize = { targetTokens: 400, overlapTokens: 60 }

export interface Chunk {
  chunk_index: number
  /** Repeated lines, if any, then document.slice(start, end), overlap included. */
  content: string
  token_count: number
  metadata: {
    /** The headings above, outermost first, each at most 200 UTF-16 units. */
    headings: string[]
    /** Offsets into the document in UTF-16 units, without the repeated lines. */
    start: number
    end: number
  }
}

/** Keeps an embedded text, with title and headings, below the provider's limit of 8,192. */
const maxTargetTokens = 4_096
const maxTitleUnits = 150

const partsPerStep = 32
/** A part of this many UTF-16 units gets a step of its own. */
const longPartUnits = 65_536

const ladders: Record<Block['kind'], [Strength, Seams][]> = {
  heading: [[strength.word, wordSeams]],
  prose: [
    [strength.stanza, paragraphSeams],
    [strength.sentence, sentenceSeams],
    [strength.line, lineSeams],
    [strength.word, wordSeams],
  ],
  rows: [
    [strength.stanza, stanzaSeams],
    [strength.sentence, lineSeams],
    [strength.word, wordSeams],
  ],
}

/**
 * Cuts Markdown or plain text into chunks for embedding.
 * - Every character is in a chunk; neighbours share only the overlap with which the later one begins.
 * - A chunk repeats the header rows of its table, the lead-in of its list and the first lines of the items around it: whole lines,
 *   at most a quarter of the target and 1,000 UTF-16 units.
 * - `token_count` ≤ `targetTokens` (4,096 at most), overlap and repeated lines included, unless one grapheme cluster is larger.
 * - A chunk never crosses a heading, and a heading stays with its text. Sections stay whole where they fit, else paragraphs, items,
 *   tables and fences, else sentences and rows, else lines, else words.
 * - The overlap is whole sentences, rows or lines of code of the same section.
 * - Cuts are content-defined (see joinSeams): an edit changes only the chunks around it.
 * @throws RangeError for a target below 1 or an overlap below 0
 */
export function chunk(content: string, size = standardSize): Chunk[] {
  return atOnce(chunking(content, size))
}

export function* chunking(content: string, { targetTokens, overlapTokens }: ChunkSize): Steps<Chunk[]> {
  if (!(targetTokens >= 1 && overlapTokens >= 0))
    throw new RangeError('targetTokens must be at least 1 and overlapTokens at least 0')
  const counter = yield* TokenCounter.reading(content)
  yield
  const blocks = yield* markdownBlocks(content)
  return yield* new Chunker(content, blocks, counter, Math.min(targetTokens, maxTargetTokens), overlapTokens).chunks()
}

export function embeddedText(title: string, { content, metadata }: Pick<Chunk, 'content' | 'metadata'>): string {
  return `${[title.slice(0, maxTitleUnits), ...metadata.headings].join(' > ')}\n\n${content}`
}

/** The id of a text's vector, which all chunks with that text share. */
export function vectorIdOf(text: string, model: string): string {
  return idOfHash(createHash('sha256').update(`${model}\n${text}`).digest())
}

class Chunker {
  readonly #text: string
  readonly #target: number
  readonly #overlap: number
  readonly #counter: TokenCounter
  readonly #context: ContextLines
  readonly #blocks: Block[]
  readonly #atoms: Atoms = { starts: [], strengths: [], sizes: [] }
  readonly #blockOf: number[] = []
  #parts = 0

  constructor(text: string, blocks: Block[], counter: TokenCounter, target: number, overlap: number) {
    this.#text = text
    this.#target = target
    this.#overlap = overlap
    this.#counter = counter
    this.#context = new ContextLines(text, counter, target)
    this.#blocks = blocks
  }

  *chunks(): Steps<Chunk[]> {
    yield* this.#splitBlocks()
    const { starts } = this.#atoms
    const count = (start: number, end: number) => this.#counter.count(start, end)
    const room = (atom: number) => this.#room(this.#blockOf[atom]!, starts[atom]!)
    const firsts = yield* joinSeams(this.#counter.units, this.#atoms, this.#target, room, count)
    const chunks: Chunk[] = []
    for (const [index, first] of firsts.entries()) {
      const next = firsts[index + 1] ?? starts.length
      const end = starts[next] ?? this.#text.length
      const start = this.#overlapStart(firsts[index - 1] ?? first, first, end)
      const context = this.#contextBefore(first, start, end)
      chunks.push({
        chunk_index: index,
        content: context.text + this.#text.slice(start, end),
        token_count: context.tokens + count(start, end),
        metadata: { headings: this.#headings(first, next), start, end },
      })
      yield
    }
    return chunks
  }

  *#splitBlocks(): Steps<void> {
    let headingTokens = 0
    for (const [index, block] of this.#blocks.entries()) {
      const end = this.#blocks[index + 1]?.start ?? this.#text.length
      const room = this.#room(index, block.start) - (headingTokens < this.#target / 2 ? headingTokens : 0)
      if (++this.#parts % partsPerStep === 0) yield
      if (!this.#addWhole(index, block.start, end, block.strength, room))
        yield* this.#split(index, block.start, end, block.strength, ladders[block.kind], room)
      headingTokens = block.kind === 'heading' ? headingTokens + this.#counter.estimate(block.start, end) + 1 : 0
    }
  }

  *#split(
    block: number,
    start: number,
    end: number,
    seam: Strength,
    ladder: [Strength, Seams][],
    room: number,
  ): Steps<void> {
    const [step, ...rest] = ladder
    if (!step) return yield* this.#splitWord(block, start, end, seam)
    if (end - start > longPartUnits) yield
    const [inner, seamsOf] = step
    let from = start
    const header = this.#headerEnd(block)
    for (const to of withEnd(seamsOf(this.#text, start, end), end)) {
      if (to <= header && to < end) continue
      if (++this.#parts % partsPerStep === 0) yield
      const [seamBefore, roomLeft] = from === start ? [seam, room] : [inner, this.#room(block, from)]
      if (!this.#addWhole(block, from, to, seamBefore, roomLeft))
        yield* this.#split(block, from, to, seamBefore, rest, roomLeft)
      from = to
    }
  }

  /** The end of repeated header rows: they stay together, and with the first row. */
  #headerEnd(block: number): number {
    const { start, context } = this.#blocks[block]!
    return context && context.start >= start && this.#context.tokens(context, context.end) > 0 ? context.end : 0
  }

  /** @returns false if the part does not fit */
  #addWhole(block: number, start: number, end: number, seam: Strength, room: number): boolean {
    const estimate = this.#counter.estimate(start, end)
    const fits = estimate <= room / 2 || (estimate <= room * 2 && this.#counter.count(start, end) <= room)
    if (fits) this.#add(block, start, seam, estimate)
    return fits
  }

  *#splitWord(block: number, start: number, end: number, seam: Strength): Steps<void> {
    const maxUnits = Math.min(64, Math.max(1, Math.floor(this.#target / 4)))
    let from = start
    for (const to of withEnd(clusterSeams(this.#text, start, end, this.#counter, maxUnits), end)) {
      if (++this.#parts % partsPerStep === 0) yield
      const tokens = Math.max(this.#counter.count(from, to), this.#counter.estimate(from, to))
      this.#add(block, from, from === start ? seam : strength.cluster, tokens)
      from = to
    }
  }

  #add(block: number, start: number, seam: Strength, tokens: number): void {
    this.#atoms.starts.push(start)
    this.#atoms.strengths.push(seam)
    this.#atoms.sizes.push(tokens)
    this.#blockOf.push(block)
  }

  #room(block: number, start: number): number {
    const { context } = this.#blocks[block]!
    return context ? this.#target - this.#context.tokens(context, start) : this.#target
  }

  /** The lines repeated by a chunk whose own text begins with the atom `first`. */
  #contextBefore(first: number, start: number, end: number): Repeated {
    let atom = first
    while (this.#atoms.starts[atom]! > start) atom--
    return this.#context.lines(this.#blockAt(atom).context, start, end)
  }

  #blockAt(atom: number): Block {
    return this.#blocks[this.#blockOf[atom]!]!
  }

  #headings(first: number, next: number): string[] {
    let index = first
    while (index + 1 < next && this.#blockAt(index).kind === 'heading') index++
    return this.#blockAt(index).headings
  }

  /** The start of the overlap for a chunk whose own text runs from the atom `first` to `end`. */
  #overlapStart(previous: number, first: number, end: number): number {
    const { starts, strengths } = this.#atoms
    const start = starts[first]!
    if (strengths[first] === strength.section || previous === first) return start
    const fits = (atom: number, from: number) =>
      this.#blockAt(atom).kind !== 'heading' &&
      this.#counter.count(from, start) <= this.#overlap &&
      this.#counter.count(from, end) <= this.#room(this.#blockOf[atom]!, from)
    let sentence = start
    let word = start
    let atom = first - 1
    for (; atom > previous && fits(atom, starts[atom]!); atom--) {
      if (strengths[atom]! >= strength.sentence) sentence = starts[atom]!
      if (strengths[atom]! >= strength.word) word = starts[atom]!
    }
    if (sentence === starts[atom + 1]!) sentence = this.#sentenceInside(atom, sentence, fits)
    return sentence === start && strengths[first]! < strength.sentence ? word : sentence
  }

  #sentenceInside(atom: number, from: number, fits: (atom: number, from: number) => boolean): number {
    const { kind } = this.#blockAt(atom)
    if (kind === 'heading') return from
    const seams = kind === 'rows' ? lineSeams : sentenceSeams
    const header = this.#headerEnd(this.#blockOf[atom]!)
    return seams(this.#text, this.#atoms.starts[atom]!, from).find((at) => at >= header && fits(atom, at)) ?? from
  }
}

function* withEnd(seams: Iterable<number>, end: number): Generator<number> {
  yield* seams
  yield end
}

import { numberAt } from './numbers.ts'
import type { Emit, Speech } from './tokens.ts'

/** Tokens [from, to) that stand for digits or letters of a code. */
interface Piece {
  kind: 'digits' | 'letters'
  from: number
  to: number
  text: string
  weight: number
  unsure?: boolean
  /** Said as an ordinary word ("see"), not as a letter. */
  isWord?: boolean
  /** Letters that the query has in one word ("qx"). */
  isCluster?: boolean
  afterSign?: boolean
}

type Segment = Piece[]

const maxCodeLength = 34
const maxPieces = 40
const separators = '-/_'

/**
 * Reads codes and strings of digits, said piece by piece: "k double four seven one", "s wie siegfried". Emits the whole, then its parts:
 * letters with the digits after them, and only the digits. A word that is rarely a letter (`Meaning.weight`) counts only beside others.
 */
export function readCodes(speech: Speech, emit: Emit): void {
  for (let at = 0; at < speech.tokens.length; ) {
    if (speech.tokens[at]!.isPlain) {
      at++
      continue
    }
    const pieces = piecesFrom(speech, at)
    for (const chain of chainsOf(segmentsOf(pieces))) readChain(speech, chain, emit)
    at = pieces.at(-1)?.to ?? readOrdinal(speech, at, emit) ?? at + 1
  }
}

/** "twenty first"; but "first" and "second" by themselves are seldom numbers. */
function readOrdinal(speech: Speech, at: number, emit: Emit): number | undefined {
  const number = numberAt(speech, at)
  if (!number?.ordinal) return undefined
  if (Number(number.text) > 2) emit(speech.tokens[at]!, speech.tokens[number.end - 1]!, number.text)
  return number.end
}

function piecesFrom(speech: Speech, start: number): Piece[] {
  const pieces: Piece[] = []
  for (let at = start; pieces.length < maxPieces; ) {
    const sign = speech.tokens[at]?.meaning.sign
    const afterSign = pieces.length > 0 && sign !== undefined && separators.includes(sign)
    const piece = pieceAt(speech, afterSign ? at + 1 : at, pieces.at(-1))
    if (!piece) break
    pieces.push({ ...piece, afterSign })
    at = piece.to
  }
  return pieces
}

function pieceAt(speech: Speech, at: number, previous: Piece | undefined): Piece | undefined {
  const { tokens } = speech
  const token = tokens[at]
  if (!token || token.isPlain) return undefined
  const next = tokens[at + 1]
  const { meaning } = token
  const follows = previous?.kind === 'digits'

  if (meaning.repeat && next) {
    const digit = next.digits ?? (next.meaning.ordinal ? undefined : next.meaning.number?.toString())
    const letter = digit ? undefined : next.meaning.letters
    const once = digit ?? letter
    if (once?.length !== 1) return undefined
    return { kind: digit ? 'digits' : 'letters', from: at, to: at + 2, text: once.repeat(meaning.repeat), weight: 2 }
  }
  const hasDigitsNext =
    next !== undefined &&
    (next.digits ?? next.meaning.number ?? next.meaning.scale ?? next.meaning.repeat) !== undefined
  const number = meaning.unsure && !follows && !hasDigitsNext ? undefined : numberAt(speech, at)
  const isArticle = meaning.article && !follows && number?.end === at + 1
  if (number && !number.ordinal && !isArticle) {
    return {
      kind: 'digits',
      from: at,
      to: number.end,
      text: number.text,
      weight: 0,
      unsure: meaning.unsure && number.end === at + 1,
    }
  }
  const { letters, weight = 0 } = meaning
  if (letters === undefined) return undefined
  const example = next?.meaning.like ? tokens[at + 2] : undefined
  const isSpelled =
    example !== undefined &&
    example.meaning.number === undefined &&
    example.text.length > 1 &&
    (example.text.startsWith(letters) || example.meaning.letters === letters)
  if (isSpelled) return { kind: 'letters', from: at, to: at + 3, text: letters, weight: 2 }
  const isWord = weight === 0 && token.text.length > 1
  const isCluster = letters.length > 1 && letters === token.text
  return { kind: 'letters', from: at, to: at + 1, text: letters, weight, isWord, isCluster }
}

function segmentsOf(pieces: Piece[]): Segment[] {
  const segments: Segment[] = []
  for (const piece of pieces) {
    const last = segments.at(-1) ?? []
    if (last[0]?.kind === piece.kind && !(piece.afterSign && piece.kind === 'digits')) last.push(piece)
    else segments.push([piece])
  }
  const [first, ...rest] = segments
  return first ? [withoutExclamation(first), ...rest].filter((segment) => segment.length > 0) : []
}

/** "oh two": the "oh" belongs to longer digits only. */
function withoutExclamation(segment: Segment): Segment {
  const rest = segment.slice(unsureAhead(segment))
  return textOf(rest).length > 2 ? segment : rest
}

function unsureAhead(segment: Segment): number {
  const sure = segment.findIndex((piece) => !piece.unsure)
  return sure < 0 ? segment.length : sure
}

const textOf = (pieces: Piece[]) => pieces.map((piece) => piece.text).join('')
const weightOf = (pieces: Piece[]) => pieces.reduce((sum, piece) => sum + piece.weight, 0)

/** Segments that belong together: doubtful letters need three digits behind them, and belong to none ahead of them. */
function chainsOf(segments: Segment[]): Segment[][] {
  const chains: Segment[][] = [[]]
  segments.forEach((segment, i) => {
    const next = segments[i + 1]
    if (segment[0]!.kind === 'letters' && weightOf(segment) < 2) {
      chains.push(next && textOf(next).length >= 3 ? [segment] : [])
    } else {
      const isApart = segment[0]!.from !== chains.at(-1)!.at(-1)?.at(-1)?.to && !segment[0]!.afterSign
      if (isApart) chains.push([])
      chains.at(-1)!.push(segment)
    }
  })
  return chains.filter((chain) => chain.length > 0)
}

function readChain({ tokens, language }: Speech, chain: Segment[], emit: Emit): void {
  const read = (pieces: Piece[], text = textOf(pieces)) => {
    if (text.length <= maxCodeLength) emit(tokens[pieces[0]!.from]!, tokens[pieces.at(-1)!.to - 1]!, text)
  }
  trimWords(chain.at(-1)!)
  const pieces = chain.flat()
  if (chain.length > 1) {
    read(pieces)
    const surer = pieces.slice(pieces.findIndex((piece) => piece.kind === 'digits' || piece.weight > 0))
    if (surer[0]!.kind === 'letters') read(surer)
  } else if (chain[0]![0]!.kind === 'letters') readLetters(chain[0]!, read)

  chain.forEach((segment, i) => {
    if (segment[0]!.kind === 'letters') {
      if (chain.length > 2 && chain[i + 1]) read([...segment, ...chain[i + 1]!])
      return
    }
    read(segment)
    const ahead = unsureAhead(segment)
    if (ahead > 0) read(segment.slice(ahead))
    const isAmount = i === chain.length - 1 && (i === 0 || (i === 1 && weightOf(chain[0]!) < 2))
    if (isAmount) for (const text of pairsOf(segment, language.marks)) read(segment, text)
  })
}

/** Drops ordinary words behind letters: "t v you". */
function trimWords(last: Segment): void {
  while (last.at(-1)!.isWord && weightOf(last) > 0) last.pop()
}

function readLetters(segment: Segment, read: (pieces: Piece[]) => void): void {
  while (segment[0]!.isWord) segment.shift()
  const spelt = (pieces: Piece[]) => textOf(pieces.filter((piece) => piece.weight > 0 && !piece.isCluster))
  if (spelt(segment).length < 2) return
  const isSure = ({ weight }: Piece) => weight > 0
  const first = segment.findIndex(isSure)
  // The “a” of “call a i b a r r a” may be a word, and its “i” a letter.
  for (let from = 0; from <= first; from++) read(segment.slice(from))
  const core = segment.slice(first, segment.findLastIndex(isSure) + 1)
  if (spelt(core).length >= 2) read(core)
}

/** Two numbers in a row may be a time or a price: "nine thirty", "twenty four ninety", "nine oh five". */
function pairsOf([first, ...rest]: Segment, marks: string[]): string[] {
  const head = first!.text.replace(/^0(?=[0-9]$)/, '')
  const tail = textOf(rest)
  const isPair =
    tail.length === 2 && (rest.length === 1 || (rest.length === 2 && rest[0]!.text === '0' && tail !== '00'))
  if (!isPair || !/^(?:0|[1-9][0-9]{0,2})$/.test(head)) return []
  const time = Number(head) < 24 && Number(tail) < 60 ? [`${head}:${tail}`] : []
  return [...time, ...marks.map((mark) => `${head}${mark}${tail}`)]
}

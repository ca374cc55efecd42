import { inTurns, mapped } from '../steps.ts'
import type { Embedder } from './embedder.ts'
import { dimensions, normalize } from './vectors.ts'

/** Signed feature hashing (Weinberger et al. 2009): offline and deterministic, it matches words and their parts, not meaning. */
export function lexicalEmbedder(): Embedder {
  return { model: 'lexical-1', embed: (texts) => inTurns(mapped(texts, embedText)) }
}

const wordWeight = 1
const bigramWeight = 0.5
const ngramWeight = 0.35
const stopWordWeight = 0.1

// Otherwise a question would match any text by its stop words.
const stopWords = new Set(
  (
    'a an and any are as at be been but by can could did do does for from had has have how i if in is it its me my of on or our ' +
    'shall should so some that the their them there these they this to us was we were what when where which who why will with would you your'
  ).split(' '),
)

function embedText(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const [feature, { weight, count }] of features(text)) {
    const hash = fnv1a(feature)
    vector[(hash >>> 1) % dimensions]! += (hash & 1 ? 1 : -1) * weight * (1 + Math.log(count))
  }
  if (vector.every((number) => number === 0)) vector[0] = 1
  return normalize(vector)
}

function features(text: string): Map<string, { weight: number; count: number }> {
  const found = new Map<string, { weight: number; count: number }>()
  const add = (feature: string, weight: number) => {
    const known = found.get(feature)
    if (known) known.count++
    else found.set(feature, { weight, count: 1 })
  }
  let previous = ''
  for (const [word] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{M}\p{N}]{1,64}/gu)) {
    const weight = stopWords.has(word) ? stopWordWeight : 1
    add(`w${word}`, wordWeight * weight)
    if (previous) add(`p${previous} ${word}`, bigramWeight * (stopWords.has(previous) ? stopWordWeight : 1) * weight)
    for (const ngram of ngrams(word)) add(`g${ngram}`, ngramWeight * weight)
    previous = word
  }
  return found
}

function* ngrams(word: string): Generator<string> {
  const bounded = `<${word}>`
  for (let length = 3; length <= 5; length++)
    for (let start = 0; start + length <= bounded.length; start++) yield bounded.slice(start, start + length)
}

/** FNV-1a, 32 bits, over UTF-16 code units, with murmur3's finalizer so that every output bit depends on all input. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

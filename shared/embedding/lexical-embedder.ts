import { inTurns, mapped } from '../concurrency/steps.ts'
import { forEachWord } from '../terms/words.ts'
import { normalForm } from '../text/normal-form.ts'
import { type Concept, conceptsOfPair } from './concepts/concepts.ts'
import type { Embedder } from './embedder.ts'
import { dimensions, normalize } from './vectors.ts'
import {
  bigramFeature,
  conceptFeature,
  type Feature,
  featuresOf,
  joinedFeature,
  type WordFeatures,
} from './word-features.ts'

/** Embeds offline by signed feature hashing (Weinberger et al. 2009) of words, their parts and the concepts of common questions. */
export function lexicalEmbedder(): Embedder {
  return { model: 'lexical-2', isLocal: true, embed: (texts) => inTurns(mapped(texts, embedText)) }
}

const signs: readonly [RegExp, Concept][] = [
  [/[€$£¥]/, 'price'],
  [/\d[:h]\d\d(?!\d)/, 'open'],
  [/\S@\S/, 'mail'],
]

function embedText(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const [hash, { weight, count }] of occurrences(normalForm(text)))
    vector[(hash >>> 1) % dimensions]! += (hash & 1 ? 1 : -1) * weight * (1 + Math.log(count))
  if (vector.every((number) => number === 0)) vector[0] = 1
  return normalize(vector)
}

interface Occurrence {
  weight: number
  count: number
}

function occurrences(text: string): Map<number, Occurrence> {
  const found = new Map<number, Occurrence>()
  const add = ({ hash, weight }: Feature) => {
    const known = found.get(hash)
    if (known) known.count++
    else found.set(hash, { weight, count: 1 })
  }
  for (const [sign, concept] of signs) if (sign.test(text)) add(conceptFeature(concept))
  let joined = ''
  let previous: WordFeatures | undefined
  let beforePrevious: WordFeatures | undefined
  forEachWord(text, (text, joint) => {
    const word = featuresOf(text)
    for (const feature of word.features) add(feature)
    if (previous) add(bigramFeature(previous, word))
    for (const first of [beforePrevious, previous])
      if (first?.beginsPair) for (const concept of conceptsOfPair(first.stem, word.stem)) add(conceptFeature(concept))
    if (!joint && joined) add(joinedFeature(joined))
    joined = joint ? (joined || previous!.folded) + word.folded : ''
    beforePrevious = previous
    previous = word
  })
  if (joined) add(joinedFeature(joined))
  return found
}

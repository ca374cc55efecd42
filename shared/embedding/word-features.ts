import { BoundedMap } from '../bounded-map.ts'
import { finalized, hashOf, hashSeed, mixed } from '../terms/hashing.ts'
import { stopWords } from '../terms/stop-words.ts'
import { fold, stem } from '../terms/word-forms.ts'
import { unspaced } from '../terms/words.ts'
import { beginsPair, type Concept, conceptsIn, conceptsOf } from './concepts/concepts.ts'

export interface WordFeatures {
  folded: string
  stem: string
  stemHash: number
  weight: number
  beginsPair: boolean
  features: readonly Feature[]
}

export interface Feature {
  hash: number
  weight: number
}

const stopWordWeight = 0.1
const bigramWeight = 0.3
const ngramWeight = 0.5
const conceptWeight = 1
const joinedWeight = 1.5
const characterPairWeight = 0.8
const characterTripleWeight = 0.35
const characterWeight = 0.3
/** A factor for kana, mostly endings and particles. */
const kanaWeight = 0.3

const maxCachedLength = 32
const known = new BoundedMap<string, WordFeatures>(20_000)

export function featuresOf(word: string): WordFeatures {
  return word.length > maxCachedLength ? newFeaturesOf(word) : known.getOrInsertComputed(word, newFeaturesOf)
}

function newFeaturesOf(word: string): WordFeatures {
  const folded = fold(word)
  const stemmed = stem(folded)
  const isStopWord = stopWords.has(folded)
  const weight = isStopWord ? stopWordWeight : 1
  const isRun = unspaced.test(folded.charAt(0))
  const concepts = isStopWord ? [] : isRun ? conceptsIn(folded) : conceptsOf(folded, stemmed)
  return {
    folded,
    stem: stemmed,
    stemHash: hashOf(stemmed),
    weight,
    beginsPair: beginsPair(stemmed),
    features: [...(isRun ? charactersOf(folded) : partsOf(folded, stemmed, weight)), ...concepts.map(conceptFeature)],
  }
}

export function conceptFeature(concept: Concept): Feature {
  return { hash: hashOf(`c${concept}`), weight: conceptWeight }
}

export function joinedFeature(words: string): Feature {
  return { hash: hashOf(`w${words}`), weight: joinedWeight }
}

export function bigramFeature(first: WordFeatures, second: WordFeatures): Feature {
  return {
    hash: finalized(mixed(first.stemHash, 0) ^ second.stemHash),
    weight: bigramWeight * first.weight * second.weight,
  }
}

function partsOf(word: string, stemmed: string, weight: number): Feature[] {
  const features = [{ hash: hashOf(`w${stemmed}`), weight }]
  if (!/\p{N}/u.test(word)) addNgrams(features, `<${word}>`, weight * ngramWeight)
  return features
}

/** Adds runs of three to five characters; each hash continues the one before. */
function addNgrams(features: Feature[], word: string, weight: number): void {
  for (let start = 0; start + 3 <= word.length; start++) {
    const end = Math.min(start + 5, word.length)
    let hash = ngramSeed
    for (let at = start; at < end; at++) {
      hash = mixed(hash, word.charCodeAt(at))
      if (at >= start + 2) features.push({ hash: finalized(hash), weight })
    }
  }
}

/** A script without spaces is read by characters, pairs and triples. */
function charactersOf(run: string): Feature[] {
  const feature = (text: string, weight: number) => ({
    hash: hashOf(`w${text}`),
    weight: weight * (kana.test(text) ? kanaWeight : 1),
  })
  const features = (run.match(/\p{Script=Han}/gu) ?? []).map((character) => feature(character, characterWeight))
  for (let at = 0; at + 2 <= run.length; at++) {
    const pair = run.slice(at, at + 2)
    if (!stopWords.has(pair)) features.push(feature(pair, characterPairWeight))
    if (at + 3 <= run.length) features.push(feature(run.slice(at, at + 3), characterTripleWeight))
  }
  return features
}

const kana = /^[\p{Script=Hiragana}ー]+$/u

const ngramSeed = mixed(hashSeed, 'g'.charCodeAt(0))

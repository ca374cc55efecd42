import { lexicalEmbedder } from '../lexical-embedder.ts'
import { dimensions, normalize } from '../vectors.ts'
import { sentenceEncoder, width } from './sentence-encoder.ts'

/** The weight of the encoder's cosine; the lexical cosine has the rest. */
const encoderShare = 0.55
/** The weight of a passage's title and headings; the mean of its sentences has 1. */
const headingWeight = 0.75
/** The number of names that a short English passage may have. */
const names = 2
const lexicalWidth = dimensions - width

/** Embeds English text as the lexical embedder's vector, folded, then the encoder's; other text only as the lexical embedder's. */
export async function passageEncoder() {
  const lexical = lexicalEmbedder()
  const { encode, isInLanguage } = await sentenceEncoder()

  return async (text: string, of: 'query' | 'document'): Promise<Float32Array> => {
    const [words] = await lexical.embed([text])
    const lowerCase = text.toLowerCase()
    if (!isInLanguage(lowerCase, of === 'query' ? 0 : names)) return words!
    return joined(words!, of === 'query' ? (await encode([lowerCase]))[0]! : await meaningOf(lowerCase))
  }

  /** The encoder reads only short texts well, so a passage's meaning is the mean of its sentences'. */
  async function meaningOf(passage: string): Promise<Float32Array> {
    const { heading, sentences } = partsOf(passage)
    const [ofHeading, ...ofSentences] = await encode([heading, ...sentences])
    if (sentences.length === 0) return ofHeading!
    return normalize(sumOf([normalize(sumOf(ofSentences)), ofHeading!.map((number) => headingWeight * number)]))
  }
}

/** Splits a passage after its title, headings and an empty line; the parts are in lower case, as recognisers write. */
export function partsOf(passage: string): { heading: string; sentences: string[] } {
  const [heading = '', ...rest] = passage.toLowerCase().split('\n\n')
  const last = heading.split(' > ').at(-1)
  const sentences = rest
    .join('\n')
    .split(/(?<=[.!?])\s+|\n/)
    .map((sentence) => sentence.replace(/^[\s#>|*-]+|(?<![\s|*])[\s|*]+$/g, '').replace(/(?:(?<!\s)\s+)?\|\s*/g, ', '))
  return {
    heading: heading.replaceAll(' > ', ', '),
    sentences: [...new Set(sentences)].filter((text) => text && text !== last),
  }
}

function sumOf(vectors: Float32Array[]): Float32Array {
  const sum = new Float32Array(width)
  for (const vector of vectors) for (let i = 0; i < width; i++) sum[i]! += vector[i]!
  return sum
}

function joined(words: Float32Array, meaning: Float32Array): Float32Array {
  const folded = new Float32Array(dimensions)
  for (const [i, number] of words.entries()) folded[i % lexicalWidth]! += number
  const vector = normalize(folded).map((number) => Math.sqrt(1 - encoderShare) * number)
  for (const [i, number] of meaning.entries()) vector[lexicalWidth + i] = Math.sqrt(encoderShare) * number
  return vector
}

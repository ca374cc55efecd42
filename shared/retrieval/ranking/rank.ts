import { type Place, placeOf, type View } from '../index/agent-index.ts'
import { scoreWords, type WordScores } from '../keyword/score.ts'
import type { SoughtTerm } from '../keyword/weights.ts'
import { type Likeness, likenessFrom, likenessOf } from '../meaning/likeness.ts'
import { deviationOfEstimate, estimateOf, questionSketch } from '../meaning/question-sketch.ts'
import { scanSketches } from '../meaning/sketch-scan.ts'
import type { Mode } from '../schemas.ts'
import { scratch, startOver } from '../scratch.ts'

/** One hypothesis of a question. */
export interface Hypothesis {
  terms: readonly SoughtTerm[]
  /** The words' share of a hybrid score if the agent has all words of the question. */
  weight: number
  vector: ArrayLike<number> | undefined
}

/** A chunk and its scores for the hypothesis for which it has the best. */
export interface Ranked {
  /** Its number in the index. */
  chunk: number
  score: number
  /** The cosine; null unless meaning was compared. */
  semantic: number | null
  /** The words' score; null if the chunk has none, or if words don't count. */
  keyword: number | null
  likeness: Likeness | undefined
}

/** A ranking from estimates, which exact cosines finish. */
export interface Draft {
  /** Chunks whose cosines with each hypothesis are needed. */
  compared: readonly number[]
  /** Chunks that can be among the best, likeliest first. */
  likely: readonly number[]
  /** The best chunks, best first, ties by document and place. @param cosines by hypothesis, in the order of `compared` */
  finish(cosines: readonly (readonly number[])[]): Ranked[]
}

/** The share of a hybrid score that stays if the agent has none of the question's words. */
const trust = 0.2
/** Moves the score of a chunk with a code of the question closer to 1 by this share, whatever else was said. */
const certainty = 0.4
/** Agents of so many chunks are compared exactly. */
const comparedExactly = 200
/** The likeliest; many more are nearly as near only if the vectors have no structure. */
const maxCompared = 2000
/** A chunk is left out if its estimate is so many deviations below that of the last of the best. */
const margin = 3 * deviationOfEstimate
/** The estimate of a near vector errs less, with the sine of the angle (Gao & Long 2024), but not less than by the question's bits. */
const leastSquaredSine = 0.1
/** Scores that differ by less are rounded to the same. */
const tie = 1e-9

/**
 * Ranks the chunks that a question may find. The score is the cosine in `semantic`, that of the words in `keyword` or without vectors, and
 * a weighted sum in `hybrid`. Its scales do not depend on other hits (Bruch et al. 2023), so that scores of different questions compare.
 * Words say little if the agent has few of them; so does a likeness without a common word. Scores are rounded to nine digits.
 * @param limit the number of chunks wanted
 */
export function rank(view: View, mode: Mode, hypotheses: readonly Hypothesis[], limit: number): Draft {
  startOver()
  const words = hypotheses.map(({ terms }) => scoreWords(view, mode === 'semantic' ? [] : terms))
  const isByMeaning = mode !== 'keyword' && hypotheses.every(({ vector }) => vector)
  if (!isByMeaning) {
    const best = bestByWords(view, words, limit)
    return { compared: [], likely: best.map(({ chunk }) => chunk), finish: () => best }
  }
  const estimates = hypotheses.map(({ vector }) => estimatesOf(view, vector!))
  const estimated = estimates.map((each) => likenessFrom(each, deviationOfEstimate))
  const scorers = hypotheses.map(({ weight }, h) => scorerOf(mode, weight, words[h]!.known))
  const likely = likeliest(estimates, estimated, { words, scorers, limit })
  const isSmall = view.count <= comparedExactly
  const compared = isSmall ? chunksOf(estimates[0]!) : likely
  const found = words.map(({ scores, certain }) => ({
    scores: Float64Array.from(compared, (chunk) => scores[chunk]!),
    certain: Uint8Array.from(compared, (chunk) => certain[chunk]!),
  }))
  return {
    compared,
    likely,
    finish(cosines) {
      const likenesses = isSmall ? cosines.map((each) => likenessFrom(each)) : estimated
      const ranked = compared.map((chunk, i) => {
        const scores = cosines.map((each, h) => {
          const { scores, certain } = found[h]!
          return rounded(scorers[h]!.score(scores[i]!, certain[i] === 1, each[i]!, likenesses[h]!))
        })
        const h = scores.indexOf(Math.max(...scores))
        const keyword = keywordScore(found[h]!.scores[i]!, found[h]!.certain[i] === 1)
        return { chunk, score: scores[h]!, semantic: cosines[h]![i]!, keyword, likeness: likenesses[h] }
      })
      return bestFirst(view, ranked).slice(0, limit)
    },
  }
}

interface Scorer {
  /** @param byWords the score of the words @param isCertain true for a chunk that has a whole code of the question */
  score(byWords: number, isCertain: boolean, cosine: number, likeness: Likeness): number
  /** The most that a score rises where its cosine rises by 1. */
  slope(likeness: Likeness): number
}

function scorerOf(mode: Mode, weight: number, known: number | null): Scorer {
  if (mode === 'semantic') return { score: (_byWords, _isCertain, cosine) => cosine, slope: () => 1 }
  if (known === null)
    return {
      score: (_byWords, _isCertain, cosine, likeness) => likenessOf(cosine, likeness),
      slope: ({ reach }) => 1 / reach,
    }
  const ofWords = weight * known
  const trusted = trust + (1 - trust) * known
  return {
    score: (byWords, isCertain, cosine, likeness) =>
      withCertainty(trusted * (ofWords * byWords + (1 - ofWords) * likenessOf(cosine, likeness)), isCertain),
    slope: ({ reach }) => (trusted * (1 - ofWords)) / reach,
  }
}

function withCertainty(score: number, isCertain: boolean): number {
  return isCertain ? certainty + (1 - certainty) * score : score
}

function keywordScore(byWords: number, isCertain: boolean): number | null {
  return byWords > 0 ? rounded(withCertainty(byWords, isCertain)) : null
}

function bestByWords(view: View, words: readonly WordScores[], limit: number): Ranked[] {
  const scores = scratch(Float64Array, view.index.chunks)
  for (const each of words)
    for (let chunk = 0; chunk < scores.length; chunk++) {
      const score = each.scores[chunk]!
      if (score > 0) scores[chunk] = Math.max(scores[chunk]!, withCertainty(score, each.certain[chunk] === 1))
    }
  const least = Math.max(Number.MIN_VALUE, largest(scores, limit) - tie)
  const ranked: Ranked[] = []
  for (let chunk = 0; chunk < scores.length; chunk++) {
    const score = scores[chunk]!
    if (score < least) continue
    ranked.push({ chunk, score: rounded(score), semantic: null, keyword: rounded(score), likeness: undefined })
  }
  return bestFirst(view, ranked).slice(0, limit)
}

/** The chunks whose score can be among the `limit` best, as far as the error of the estimates is usual, best first. */
function likeliest(
  estimates: readonly Float64Array[],
  likenesses: readonly Likeness[],
  { words, scorers, limit }: { words: readonly WordScores[]; scorers: readonly Scorer[]; limit: number },
): number[] {
  const count = estimates[0]!.length
  const scores = scratch(Float64Array, count).fill(-Infinity)
  for (const [h, { score }] of scorers.entries()) {
    const cosines = estimates[h]!
    const likeness = likenesses[h]!
    const { scores: byWords, certain } = words[h]!
    for (let chunk = 0; chunk < count; chunk++) {
      const cosine = cosines[chunk]!
      if (cosine === -Infinity) continue
      const own = score(byWords[chunk]!, certain[chunk] === 1, cosine, likeness)
      if (own > scores[chunk]!) scores[chunk] = own
    }
  }
  const last = Math.max(largest(scores, limit), -Number.MAX_VALUE)
  const maxRise = Math.max(...scorers.map(({ slope }, h) => margin * slope(likenesses[h]!)))
  const reaches = (chunk: number) =>
    scorers.some(({ score }, h) => {
      const cosine = estimates[h]![chunk]!
      const { scores: byWords, certain } = words[h]!
      return score(byWords[chunk]!, certain[chunk] === 1, cosine + marginAt(cosine), likenesses[h]!) >= last
    })
  const found: number[] = []
  for (let chunk = 0; chunk < count; chunk++) if (scores[chunk]! + maxRise >= last && reaches(chunk)) found.push(chunk)
  return found.sort((one, other) => scores[other]! - scores[one]!).slice(0, maxCompared)
}

function marginAt(cosine: number): number {
  return margin * Math.sqrt(Math.max(leastSquaredSine, 1 - cosine * cosine))
}

/** The nth largest number, or the smallest if there are fewer. */
function largest(numbers: Float64Array, n: number): number {
  const kept = new Float64Array(n).fill(-Infinity)
  let least = 0
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i]! <= kept[least]!) continue
    kept[least] = numbers[i]!
    for (let k = 0; k < n; k++) if (kept[k]! < kept[least]!) least = k
  }
  return kept[least]!
}

/** The estimated cosine of each chunk of the index, until the next ranking; -Infinity of one that a question may not find. */
function estimatesOf({ index, visible }: View, vector: ArrayLike<number>): Float64Array {
  const sketch = questionSketch(vector)
  const distances = scratch(Uint16Array, index.chunks)
  for (const { segment, base } of index.layers)
    scanSketches(sketch, segment.sketches, segment.places.length, distances.subarray(base))
  const estimates = scratch(Float64Array, index.chunks)
  for (let chunk = 0; chunk < estimates.length; chunk++)
    estimates[chunk] = visible?.[chunk] === 0 ? -Infinity : estimateOf(distances[chunk]!, sketch)
  return estimates
}

function chunksOf(estimates: Float64Array): number[] {
  const chunks: number[] = []
  for (let chunk = 0; chunk < estimates.length; chunk++) if (estimates[chunk]! > -Infinity) chunks.push(chunk)
  return chunks
}

function bestFirst({ index }: View, ranked: Ranked[]): Ranked[] {
  return ranked.sort(
    (one, other) => other.score - one.score || compareNames(placeOf(index, one.chunk), placeOf(index, other.chunk)),
  )
}

function compareNames(one: Place, other: Place): number {
  const [id, otherId] = [one.document.documentId, other.document.documentId]
  return id === otherId ? one.index - other.index : id < otherId ? -1 : 1
}

function rounded(score: number): number {
  return Math.round(score * 1e9) / 1e9
}

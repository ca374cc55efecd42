import { BoundedMap } from '../../bounded-map.ts'
import { normalForm } from '../../text/normal-form.ts'

/** Pieces of words with the logarithms of their probabilities; `▁` begins a word. */
export type Vocabulary = [piece: string, score: number][]

const reserved = 6
const unknown = 0
const unknownScore = -20
const maxPieceLength = 16

/** SentencePiece's unigram model (Kudo 2018): the likeliest pieces of each word. */
export function tokenizer(vocabulary: Vocabulary) {
  const pieces = new Map(vocabulary.map(([piece, score], token) => [piece, { token, score }] as const).slice(reserved))
  const known = new BoundedMap<string, number[]>(20_000)
  const tokensOfWord = (word: string) => known.getOrInsertComputed(word, () => likeliest(['▁', ...word]))

  function likeliest(symbols: string[]): number[] {
    const best = [{ score: 0, start: 0, token: unknown }]
    for (let end = 1; end <= symbols.length; end++) {
      let choice = { score: best[end - 1]!.score + unknownScore, start: end - 1, token: unknown }
      let text = ''
      for (let start = end - 1; start >= Math.max(0, end - maxPieceLength); start--) {
        text = symbols[start] + text
        const piece = pieces.get(text)
        const score = piece ? piece.score + best[start]!.score : -Infinity
        if (piece && score > choice.score) choice = { score, start, token: piece.token }
      }
      best.push(choice)
    }
    const tokens: number[] = []
    for (let end = symbols.length; end > 0; end = best[end]!.start)
      if (best[end]!.token !== unknown || tokens.at(-1) !== unknown) tokens.push(best[end]!.token)
    return tokens.reverse()
  }

  return {
    tokensOf: (text: string) => (normalForm(text).match(/\S+/g) ?? []).flatMap(tokensOfWord),

    /** True if half of the words, less the exceptions, are whole tokens: most words of other languages fall into pieces. */
    isInLanguage(text: string, exceptions: number): boolean {
      const words = normalForm(text).match(/[\p{L}\p{M}'’]+/gu) ?? []
      const whole = words.filter((word) => tokensOfWord(word).length === 1)
      return words.length > 0 && whole.length >= words.length / 2 - exceptions
    },
  }
}

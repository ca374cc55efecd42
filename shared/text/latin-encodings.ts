import { maxContentBytes } from '../documents/contract/max-content-bytes.ts'

/** Letters beyond ASCII, a language in a word, those first that decide between encodings. */
const central = 'łąężóśćńź íáéěřšžýčůúóťňď áíéčľýžšúťôňäóďĺŕ áéóöőíüúű čšžćđ ăţşîâ'
const western = 'äüöß èêéàœçôîùûïâë óíáñéú ãçáéíóêõâàúô ìàùòèé åäöé åøæé áðíóöæúéýþ éëïüö äõöüšž'
const turkish = 'ığşüöçiâî'
/** Signs beside words, which are letters in other encodings. */
const signs = '«»®¿¡ªº'
const languages: [encoding: string, alphabets: string][] = [
  ['windows-1252', western],
  ['windows-1250', central],
  ['iso-8859-2', central],
  ['windows-1254', turkish],
]
const costOfOthers = 8
/** Letters at the ends of words count less than those inside, because signs stand there, too. */
const weightAtEnds = 0.3
const word = /[a-z\x80-\xff]+/gi

/** Letters that cost less on average are those of a language, and not the bytes of another script. */
const likelyCost = 3.5

/**
 * The encoding in which the letters inside words are likeliest those of one language; Windows-1252 if nothing decides.
 * `isLikely` is false if they may be of another script.
 */
export function likeliestLatin(bytes: Buffer): { encoding: string; isLikely: boolean } {
  const weights = weightsIn(bytes.toString('latin1', 0, maxContentBytes))
  const read = Buffer.from([...weights.keys()].join(''), 'latin1')
  let best = { encoding: '', cost: Number.POSITIVE_INFINITY }
  for (const [encoding, alphabets] of languages) {
    const letters = [...new TextDecoder(encoding).decode(read)].map((letter) => letter.toLowerCase()[0]!)
    for (const alphabet of alphabets.split(' ')) {
      const cost = costOf(letters, [...weights.values()], encoding === 'windows-1252' ? alphabet + signs : alphabet)
      if (cost < best.cost) best = { encoding, cost }
    }
  }
  const all = weights.values().reduce((sum, weight) => sum + weight, 0)
  return { encoding: best.encoding, isLikely: best.cost < likelyCost * all }
}

function weightsIn(text: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const [letters] of text.matchAll(word)) {
    // Words without ASCII are of other scripts; `m³` and `nº` are none.
    if (!/[a-z]/i.test(letters) || /^.?[mn][\xaa-\xba]$/i.test(letters)) continue
    for (const { 0: letter, index } of letters.matchAll(/[\x80-\xff]/g)) {
      const isInside = index > 0 && index < letters.length - 1
      weights.set(letter, (weights.get(letter) ?? 0) + (isInside ? 1 : weightAtEnds))
    }
  }
  return weights
}

function costOf(letters: readonly string[], weights: readonly number[], alphabet: string): number {
  return letters.reduce((sum, letter, at) => {
    const rank = alphabet.indexOf(letter)
    return sum + weights[at]! * (rank < 0 ? costOfOthers : Math.log2(2 + rank))
  }, 0)
}

/**
 * The share of characters that were read: 1 − Levenshtein distance / length of the truth, at least 0. Before, both texts lose
 * Markdown's marks, leaders of dots and blank lines, runs of white space become one space, and typographic quotes and dashes become plain ones;
 * case, accents and currency signs count. The distance is the smaller of two: between the texts read through in their order, where it does
 * not matter where a line ends; and between lines in any order, as columns may be read in either: each line of the truth, longest first,
 * takes the unused line nearest to it, and lines that nobody takes count in full.
 */
export function characterAccuracy(truth: string, read: string): number {
  const expected = linesOf(truth)
  const found = linesOf(read)
  const inOrder = distance(expected.join(' '), found.join(' ')) / expected.join(' ').length
  const inAnyOrder = distanceOfLines(expected, found) / expected.join('').length
  return Math.max(0, 1 - Math.min(inOrder, inAnyOrder))
}

function linesOf(text: string): string[] {
  return text
    .normalize('NFC')
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[–—]/g, '-')
    .split('\n')
    .map((line) =>
      line
        .replace(/^\s*(#{1,6}|[-*]|\d+\\?\.(?=\s\D))\s/, '')
        .replaceAll(/(?<!\\)\||\*\*|\\(?=[^\w\s])/g, ' ')
        .replaceAll(/(\s?[.…·_-]){3,}/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '')
}

function distanceOfLines(expected: readonly string[], found: readonly string[]): number {
  const left = [...found]
  let sum = 0
  for (const line of expected.toSorted((a, b) => b.length - a.length)) {
    const distances = left.map((each) => distance(line, each))
    const nearest = Math.min(line.length, ...distances)
    sum += nearest
    const taken = distances.indexOf(nearest)
    if (taken >= 0 && nearest < line.length) left.splice(taken, 1)
  }
  return sum + left.join('').length
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const now = [i]
    for (let j = 1; j <= b.length; j++)
      now[j] = Math.min(before[j]! + 1, now[j - 1]! + 1, before[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    before = now
  }
  return before[b.length]!
}

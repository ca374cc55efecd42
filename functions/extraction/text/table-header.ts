/** Guesses whether the first row names the columns: not if it has an amount above other amounts. */
export function hasHeader([first, ...rest]: readonly (readonly string[])[]): boolean {
  return !first!.some((text, column) => isAmount(text) && rest.some((row) => isAmount(row[column] ?? '')))
}

export function isAmount(text: string): boolean {
  const digits = text.match(/\d/g)?.length ?? 0
  const begins = /^[^\p{L}]{0,3}\d|^[A-Z]{3} \d/u.test(text)
  return begins && digits >= 0.3 * text.replace(/\s/g, '').length && !/^(19|20)\d\d$/.test(text)
}

/** The number of columns that most rows have, the larger one of two. */
export function mostFrequent(numbers: readonly number[]): number {
  const counts = [...Map.groupBy(numbers, (number) => number)].map(([number, { length }]) => ({ number, length }))
  return counts.sort((a, b) => b.length - a.length || b.number - a.number)[0]?.number ?? 0
}

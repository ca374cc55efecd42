const currency = /[€$£¥₹₽₺₴]|\b(?:[A-Z]{3}|[Ee]uros?|kr|zł|Kč|Ft|lei|Fr)\b|\d[.,](?:-|–)/u

/** Guesses whether the first row names the columns: not if it has an amount above amounts of its kind. */
export function hasHeader([first, ...rest]: readonly (readonly string[])[]): boolean {
  return !first!.some((text, column) => {
    const kind = amountKind(text)
    return kind !== 'text' && rest.some((row) => amountKind(row[column] ?? '') === kind)
  })
}

export function amountKind(text: string): 'text' | 'price' | 'percentage' | 'time' | 'quantity' | 'number' {
  if (!isAmount(text)) return 'text'
  if (currency.test(text)) return 'price'
  if (text.includes('%')) return 'percentage'
  if (/\d:\d\d/.test(text)) return 'time'
  return /\d ?\p{L}/u.test(text) ? 'quantity' : 'number'
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

import type { ProviderCall } from '../support/fake-provider.ts'
import { isOfLedger } from './ledger.ts'

/**
 * A text is paid for once, and once more for each time that the process which had asked for it was killed before it was stored.
 * @param kills how many calls there had been at each kill
 * @returns the texts that were paid for twice in the life of one process among the unexplained
 */
export function repeatedPayments(calls: readonly ProviderCall[], kills: readonly number[]) {
  const lives = new Map<string, number[]>()
  for (const [i, { texts }] of calls.entries()) {
    const life = kills.filter((callsBefore) => callsBefore <= i).length
    for (const text of texts.filter(isOfLedger)) lives.set(text, [...(lives.get(text) ?? []), life])
  }
  const payments = [...lives.values()]
  return {
    texts: lives.size,
    again: payments.reduce((sum, { length }) => sum + length - 1, 0),
    unexplained: [...lives].filter(([, paid]) => new Set(paid).size < paid.length).map(([text]) => text),
  }
}

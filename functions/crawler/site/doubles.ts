import { canonical } from '../../../shared/websites/address.ts'

export interface KnownAddress {
  address: string
  /** When its document was created; null if it has none. */
  document_since: Date | null
}

export interface Folded {
  /** Pages that get the canonical form of their address. */
  renamed: { address: string; to: string }[]
  /** Pages to be removed, since another has their address. */
  doubles: string[]
}

/** Keeps one of the pages known under several forms of an address: the canonical one, if it has a document, else the oldest. */
export function foldDoubles(known: readonly KnownAddress[]): Folded {
  const age = ({ document_since }: KnownAddress) => document_since?.getTime() ?? Number.POSITIVE_INFINITY
  const folded: Folded = { renamed: [], doubles: [] }
  for (const [to, pages] of Map.groupBy(known, ({ address }) => canonical(address) ?? address)) {
    const oldest = pages.toSorted((a, b) => age(a) - age(b) || Number(b.address === to) - Number(a.address === to))
    const stays = pages.find((page) => page.address === to && page.document_since) ?? oldest[0]!
    if (stays.address !== to) folded.renamed.push({ address: stays.address, to })
    folded.doubles.push(...pages.flatMap((page) => (page === stays ? [] : page.address)))
  }
  return folded
}

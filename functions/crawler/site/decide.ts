/** A page that has a document. */
export interface KnownPage {
  address: string
  /** The length of its text. */
  characters: number
  /** When a crawl first found it gone, since it last answered. */
  goneSince: Date | null
}

/** What a crawl found at an address it asked for; every known page is asked for, linked or not. */
export type FoundPage =
  | {
      address: string
      kind: 'page'
      /** The page's own address: another one where a redirect or a `canonical` link led there. */
      at: string
      /** Of the text. */
      hash: string
      characters: number
      /** Whether its text differs from the document's by more than noise; true without a document. */
      isChanged: boolean
    }
  | { address: string; kind: 'unchanged' | 'gone' | 'left_out' | 'failed' }

export interface Decision {
  create: string[]
  update: string[]
  delete: string[]
  /** Gone for the first time: `goneSince` becomes the time of this crawl. */
  markGone: string[]
  /** They answer again: `goneSince` becomes null. */
  clearGone: string[]
  /** Not created, with a sentence why. */
  leftOut: Map<string, string>
  /** Why nothing changes at all, a sentence for the source's `error_message`. */
  refused?: string
}

/** What a crawl changes. `start` is what it found at the source's own address. */
export function decide(
  before: readonly KnownPage[],
  found: readonly FoundPage[],
  { start, now: _now }: { start: FoundPage['kind']; now: Date },
): Decision {
  const nothing = { create: [], update: [], delete: [], markGone: [], clearGone: [], leftOut: new Map() }
  if (start === 'failed' || start === 'gone') return { ...nothing, refused: 'The page does not answer.' }
  const known = new Set(before.map(({ address }) => address))
  const pages = found.filter((page) => page.kind === 'page')
  const isNew = ({ address }: FoundPage) => !known.has(address)
  return {
    ...nothing,
    create: pages.filter(isNew).map(({ at }) => at),
    update: pages.filter((page) => page.isChanged && !isNew(page)).map(({ address }) => address),
  }
}

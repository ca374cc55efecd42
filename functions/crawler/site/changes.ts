/** A page that has a document. */
export interface KnownPage {
  address: string
  /** The hash of the document's text. */
  hash: string
  characters: number
  /** When a crawl first found it gone, after it last answered. */
  goneSince: Date | null
}

/** The result of a crawl for an address; a crawl requests every known page, linked or not. */
export type FoundPage =
  | {
      address: string
      kind: 'page'
      /** The page's own address, and whether permanent redirects led there: as `fetchPage` says. */
      at: string
      isMoved: boolean
      hash: string
      characters: number
      /** True if its text differs from the document's by more than noise, or there is no document. */
      isChanged: boolean
    }
  | { address: string; kind: 'unchanged' | 'gone' | 'left_out' | 'failed' }

export interface CrawlChanges {
  /** The own addresses of pages without a document. */
  create: string[]
  update: string[]
  delete: string[]
  /** Their `goneSince` becomes the time of this crawl. */
  markGone: string[]
  /** Their `goneSince` becomes null, even if all else is refused. */
  clearGone: string[]
  /** Pages without a document, with a sentence that says why they get none. */
  leftOut: Map<string, string>
  /** Why no document changes: a sentence for the website's `error_message`. */
  refused?: string
}

const day = 24 * 3_600_000
/** A crawl that has lost a larger share of the known pages changes nothing. */
const maxLost = 1 / 3
/** A page with less of its former text is nearly empty, as is a short one with less than half: notices in place of pages are short. */
const minLeft = 1 / 10
const shortText = 300

/** Decides the changes of a crawl. `failed` says why the website's own address, its robots.txt or its sitemap could not be read. */
export function changesOfCrawl(
  before: readonly KnownPage[],
  found: readonly FoundPage[],
  { home, now, failed }: { home: string; now: Date; failed?: string | undefined },
): CrawlChanges {
  const asked = new Map(found.map((page) => [page.address, page]))
  const states = statesOf(before, asked, home)
  const are = (...names: State[]) => before.filter(({ address }) => names.includes(states.get(address)!))
  const addressesOf = (pages: readonly KnownPage[]) => pages.map(({ address }) => address)
  const answering = are('same', 'changed', 'emptied', 'elsewhere', 'left_out')
  const clearGone = addressesOf(answering.filter(({ goneSince }) => goneSince))
  const nothing = { create: [], update: [], delete: [], markGone: [], clearGone, leftOut: new Map<string, string>() }
  const lost = are('gone', 'emptied', 'elsewhere', 'left_out').length
  const pages = found.filter((page) => page.kind === 'page')
  if (failed) return { ...nothing, refused: failed }
  if (before.length === 0 && pages.length === 0)
    return { ...nothing, refused: 'No page with text was found. Each page says why it was left out.' }
  if (lost > before.length * maxLost)
    return {
      ...nothing,
      refused: `${lost} of ${before.length} pages are gone, nearly empty or no longer open to Cuecard, so nothing was changed. If the site is right, delete their documents, or this source, and add the source again.`,
    }
  const isHealthy = lost + are('failed').length <= before.length * maxLost
  const gone = isHealthy ? are('gone', 'moved') : []
  const isOver = ({ goneSince }: KnownPage) => goneSince !== null && now.getTime() - goneSince.getTime() >= day
  return {
    ...nothing,
    ...creations(before, pages, states),
    update: addressesOf(are('changed', 'emptied')),
    delete: addressesOf(gone.filter(isOver)),
    markGone: addressesOf(gone.filter(({ goneSince }) => !goneSince)),
  }
}

/** `emptied` has hardly any text left, or that of another page. `moved` redirects for good to a page that no other redirects to; `elsewhere` redirects home, or where others do, as in maintenance. */
type State = 'same' | 'changed' | 'emptied' | 'moved' | 'elsewhere' | 'gone' | 'left_out' | 'failed'

function statesOf(before: readonly KnownPage[], asked: Map<string, FoundPage>, home: string): Map<string, State> {
  const known = before.map((page) => ({ page, result: asked.get(page.address) }))
  const now = known.map(({ page, result }) => (result?.kind === 'page' ? result.hash : page.hash))
  const texts = Map.groupBy(now, (hash) => hash)
  const redirected = known.flatMap(({ page, result }) =>
    result?.kind === 'page' && result.at !== page.address ? result.at : [],
  )
  const isTarget = (at: string) =>
    at !== home && new URL(at).pathname !== '/' && redirected.indexOf(at) === redirected.lastIndexOf(at)
  const state = (page: KnownPage, result: FoundPage | undefined): State => {
    if (!result) return 'failed'
    if (result.kind === 'unchanged') return 'same'
    if (result.kind !== 'page') return result.kind
    const { at, isMoved, isChanged, hash, characters } = result
    if (at !== page.address) return isMoved && isTarget(at) ? 'moved' : 'elsewhere'
    if (!isChanged) return 'same'
    return characters < Math.max(page.characters * minLeft, Math.min(page.characters / 2, shortText)) ||
      texts.get(hash)!.length > 1
      ? 'emptied'
      : 'changed'
  }
  return new Map(known.map(({ page, result }) => [page.address, state(page, result)]))
}

/** Creates one document for each text, since the same page often answers at several addresses. */
function creations(
  before: readonly KnownPage[],
  pages: readonly Extract<FoundPage, { kind: 'page' }>[],
  states: Map<string, State>,
): Pick<CrawlChanges, 'create' | 'leftOut'> {
  const known = new Set(before.map(({ address }) => address))
  const owners = new Map(
    before.flatMap(({ address, hash }) =>
      ['same', 'failed'].includes(states.get(address)!) ? [[hash, address] as const] : [],
    ),
  )
  for (const { address, at, hash } of pages) if (known.has(address) && at === address) owners.set(hash, address)
  const create = new Set<string>()
  const leftOut = new Map<string, string>()
  for (const { at, hash } of pages) {
    if (known.has(at) || create.has(at) || leftOut.has(at)) continue
    const owner = owners.get(hash)
    if (owner !== undefined) leftOut.set(at, `It has the same text as ${owner}.`)
    else {
      owners.set(hash, at)
      create.add(at)
    }
  }
  return { create: [...create], leftOut }
}

import { describe, expect, test } from 'vitest'
import { changesOfCrawl, type FoundPage, type KnownPage } from '../../../functions/crawler/site/changes.ts'

const url = 'https://shop.example'
const now = new Date('2026-11-24T09:00:00Z')
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

/** Pages /0 to /9, each with a document. */
const known = (own: Record<number, Partial<KnownPage>> = {}): KnownPage[] =>
  Array.from({ length: 10 }, (_, at) => ({
    address: `${url}/${at}`,
    hash: `old ${at}`,
    characters: 1_000,
    goneSince: null,
    ...own[at],
  }))
const page = (path: string | number, own: Partial<Extract<FoundPage, { kind: 'page' }>> = {}): FoundPage => {
  const address = `${url}/${path}`
  const changed = { isMoved: true, hash: `new ${path}`, characters: 1_000, isChanged: true }
  return { address, kind: 'page', at: address, ...changed, ...own }
}
const at = (path: number, kind: 'unchanged' | 'gone' | 'left_out' | 'failed'): FoundPage => ({
  address: `${url}/${path}`,
  kind,
})

/** Decides on a crawl that finds these pages, and all others unchanged. */
function crawl(before: KnownPage[], found: FoundPage[], failed?: string) {
  const rest = before.filter(({ address }) => !found.some((other) => other.address === address))
  const all = [...found, ...rest.map(({ address }): FoundPage => ({ address, kind: 'unchanged' }))]
  const { leftOut, ...decision } = changesOfCrawl(before, all, { home: `${url}/`, now, failed })
  return { ...decision, leftOut: [...leftOut] }
}

const nothing = { create: [], update: [], delete: [], markGone: [], clearGone: [], leftOut: [] }
const paths = (...of: (string | number)[]) => of.map((path) => `${url}/${path}`)
const refused = { ...nothing, refused: expect.stringContaining('nothing was changed') }

test('a crawl that finds the same changes nothing', () => {
  expect(crawl(known(), [page(3, { isChanged: false })])).toEqual(nothing)
})

test('pages are created and updated', () => {
  expect(crawl(known(), [page('a'), page(3)])).toEqual({ ...nothing, create: paths('a'), update: paths(3) })
  expect(changesOfCrawl([], [page('a'), page('b')], { home: `${url}/`, now })).toMatchObject({
    create: paths('a', 'b'),
  })
})

test('a page is deleted when it was gone twice, a day apart, and did not answer in between', () => {
  expect(crawl(known(), [at(3, 'gone')])).toEqual({ ...nothing, markGone: paths(3) })
  expect(crawl(known({ 3: { goneSince: ago(23.9) } }), [at(3, 'gone')])).toEqual(nothing)
  expect(crawl(known({ 3: { goneSince: ago(24) } }), [at(3, 'gone')])).toEqual({ ...nothing, delete: paths(3) })
  for (const found of [at(3, 'unchanged'), at(3, 'left_out'), page(3, { isChanged: false })])
    expect(crawl(known({ 3: { goneSince: ago(48) } }), [found])).toEqual({ ...nothing, clearGone: paths(3) })
  expect(crawl(known({ 3: { goneSince: ago(48) } }), [at(3, 'failed')])).toEqual(nothing)
})

test('a page that is no longer linked, or was not requested, stays', () => {
  const all = known({ 3: { goneSince: ago(48) } })
  const found = all.filter((_, path) => path !== 3).map(({ address }): FoundPage => ({ address, kind: 'unchanged' }))
  expect(changesOfCrawl(all, found, { home: `${url}/`, now })).toMatchObject({ delete: [], markGone: [], update: [] })
})

describe('a crawl changes nothing, and says why, if', () => {
  const four = [0, 1, 2, 3]
  test.each<[string, FoundPage[]]>([
    ['more than a third is gone', four.map((path) => at(path, 'gone'))],
    ['more than a third may no longer be read', four.map((path) => at(path, 'left_out'))],
    ['more than a third lost nine tenths of its text', four.map((path) => page(path, { characters: 99 }))],
    ['more than a third has the same text', four.map((path) => page(path, { hash: 'maintenance' }))],
    ['more than a third redirects to the home page', four.map((path) => page(path, { at: `${url}/` }))],
    ['more than a third redirects to one page', four.map((path) => page(path, { at: `${url}/soon` }))],
    [
      'more than a third redirects temporarily',
      four.map((path) => page(path, { at: `${url}/new/${path}`, isMoved: false })),
    ],
    [
      'more than a third has one of these faults or another',
      [at(0, 'gone'), at(1, 'left_out'), page(2, { characters: 9 }), page(3, { at: `${url}/` })],
    ],
  ])('%s', (_, found) => {
    expect(crawl(known(), [...found, page('a'), page(9)])).toEqual(refused)
    expect(crawl(known(), [...found.slice(1), page('a'), page(9)]).refused).toBeUndefined()
  })

  test('its start, its robots.txt or its sitemap failed', () => {
    const sentence = 'The start page answers with the status 500.'
    expect(crawl(known(), [page('a'), at(1, 'gone')], sentence)).toEqual({ ...nothing, refused: sentence })
  })

  test('the only page came back nearly empty', () => {
    const [only] = known()
    expect(changesOfCrawl([only!], [page(0, { characters: 40 })], { home: `${url}/0`, now }).refused).toBeDefined()
    expect(changesOfCrawl([only!], [page(0, { characters: 400 })], { home: `${url}/0`, now })).toMatchObject({
      update: paths(0),
    })
  })

  test('it is the first and finds no page', () => {
    const { refused: why } = changesOfCrawl([], [at(0, 'left_out')], { home: `${url}/`, now })
    expect(why).toContain('No page with text')
  })

  test('more than a third is gone, but a page that answers again no longer counts as gone', () => {
    const gone = four.map((path) => at(path, 'gone'))
    expect(crawl(known({ 9: { goneSince: ago(48) } }), gone)).toEqual({ ...refused, clearGone: paths(9) })
  })
})

test('while more than a third does not answer, nothing is deleted, and the rest is updated', () => {
  const found = [at(0, 'failed'), at(1, 'failed'), at(2, 'failed'), at(3, 'gone'), at(4, 'gone'), page(5)]
  expect(crawl(known({ 3: { goneSince: ago(48) } }), found)).toEqual({ ...nothing, update: paths(5) })
})

test('a page that moved permanently is deleted after a day, and its new address gets a document at once', () => {
  const moved = page(3, { at: `${url}/new`, hash: 'old 3' })
  expect(crawl(known(), [moved])).toEqual({ ...nothing, create: paths('new'), markGone: paths(3) })
  const later = [...known({ 3: { goneSince: ago(24) } }), { ...known()[0]!, address: `${url}/new`, hash: 'old 3' }]
  expect(crawl(later, [moved])).toEqual({ ...nothing, delete: paths(3) })
})

test('a page that redirects to the home page, or temporarily, keeps its text', () => {
  for (const own of [{ at: `${url}/` }, { at: 'https://www.shop.example/' }, { at: `${url}/1`, isMoved: false }])
    expect(crawl([...known(), { ...known()[0]!, address: own.at, hash: 'home' }], [page(3, own)])).toEqual(nothing)
})

test('a text has one document: another address with the same text is left out', () => {
  const same = `It has the same text as ${url}/3.`
  expect(crawl(known(), [page('3?sort=1', { hash: 'old 3' })])).toEqual({
    ...nothing,
    leftOut: [[`${url}/3?sort=1`, same]],
  })
  expect(crawl(known(), [page('a', { hash: 'x' }), page('b', { hash: 'x' })])).toEqual({
    ...nothing,
    create: paths('a'),
    leftOut: [[`${url}/b`, `It has the same text as ${url}/a.`]],
  })
  expect(crawl(known(), [at(3, 'gone'), page('a', { hash: 'old 3' })])).toMatchObject({ create: paths('a') })
})

import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { random } from '../bench/data/vectors.ts'
import { listen } from '../support/loopback.ts'
import { arrivals } from './generator/arrivals.ts'
import { play } from './generator/play.ts'
import type { Load, Sample, Stream } from './generator/stream.ts'
import { figuresOf } from './report/figures.ts'
import { recoverySeconds } from './report/recovery.ts'
import { toMarkdown } from './report/table.ts'
import { openStage } from './stage/stage.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const uniformOf = (seed: number) => {
  const next = random(seed)
  return () => next() / 2 ** 32
}

/** A stream of polls to a server of the test's own. */
async function streamTo(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  load: Load,
): Promise<Stream> {
  const { origin, close } = await listen(listener)
  closers.push(close)
  const caller = { organizationId: '', apiKey: 'key', knowledgeBase: '/kb', documentIds: ['1', '2'] }
  return { origin, callers: [caller], mix: { poll: 1 }, load, seed: 7, timeoutSeconds: 30 }
}

const sample = (at: number, more: Partial<Sample> = {}): Sample => ({
  operation: 'poll',
  at,
  milliseconds: 10,
  late: 0,
  outcome: 200,
  hasRetryAfter: false,
  ...more,
})

describe('arrivals', () => {
  test('come as often as each phase says, at times that depend on none before', () => {
    const times = [
      ...arrivals(
        [
          { seconds: 100, perSecond: 50 },
          { seconds: 10, perSecond: 1000 },
        ],
        uniformOf(1),
      ),
    ]
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    const first = times.filter((at) => at < 100_000)
    // Of a Poisson process the variance is the mean: four deviations.
    expect(Math.abs(first.length - 5_000)).toBeLessThan(4 * Math.sqrt(5_000))
    expect(Math.abs(times.length - first.length - 10_000)).toBeLessThan(4 * Math.sqrt(10_000))
    const gaps = first.slice(1).map((at, i) => at - first[i]!)
    const mean = gaps.reduce((sum, gap) => sum + gap) / gaps.length
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length
    expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1)
  })
})

describe('the generator', () => {
  const arrivalsOf = (count: number) => ({ arrivals: [{ seconds: 0.5, perSecond: 2 * count }] })

  test('waits for nobody: a server that answers when all have come answers all', async () => {
    const held: ServerResponse[] = []
    const stream = await streamTo((_, response) => {
      if (held.push(response) >= 40) for (const each of held) each.end()
    }, arrivalsOf(60))
    const samples = await play(stream, performance.now())
    expect(samples.length).toBeGreaterThanOrEqual(40)
    expect(samples.every(({ outcome }) => outcome === 200)).toBe(true)
    expect(samples.length).toBe(held.length)
  })

  test('counts from the planned arrival, also what it is late itself', async () => {
    const stream = await streamTo((_, response) => response.end(), arrivalsOf(20))
    const samples = await play(stream, performance.now() - 60_000)
    expect(samples.length).toBeGreaterThan(5)
    for (const { at, late, milliseconds } of samples) {
      expect(late).toBeGreaterThanOrEqual(60_000 - at)
      expect(milliseconds).toBeGreaterThan(late)
    }
  })

  test('sends no more at a time than there are senders, and goes on when it is answered', async () => {
    let inWork = 0
    let most = 0
    const stream = await streamTo(
      (_, response) => {
        most = Math.max(most, ++inWork)
        setImmediate(() => {
          inWork--
          response.end()
        })
      },
      { senders: 3, seconds: 1 },
    )
    const samples = await play(stream, performance.now())
    expect(most).toBeLessThanOrEqual(3)
    expect(samples.length).toBeGreaterThan(3)
  })

  test('tells how each request ended', async () => {
    let calls = 0
    const stream = await streamTo((request, response) => {
      const ways = [
        () => response.end(),
        () => response.writeHead(503, { 'retry-after': '1' }).end(),
        () => response.writeHead(503).end(),
        () => request.socket.destroy(),
        () => response.write('half') && request.socket.destroy(),
        () => {},
      ]
      ways[calls++ % ways.length]!()
    }, arrivalsOf(40))
    const samples = await play({ ...stream, timeoutSeconds: 0.3 }, performance.now())
    const { served, outcomes, sent } = figuresOf(samples)
    expect(Object.keys(outcomes).toSorted()).toEqual(['503', '503 without Retry-After', 'reset', 'timeout'])
    expect(served + Object.values(outcomes).reduce((sum, count) => sum + count)).toBe(sent)
    expect(outcomes['503']).toBeGreaterThanOrEqual(outcomes['503 without Retry-After']!)
  })
})

describe('recovery', () => {
  const seconds = (from: number, to: number, more?: Partial<Sample>) =>
    Array.from({ length: 10 * (to - from) }, (_, i) => sample(from * 1000 + i * 100, more))

  test('is the first second in which all are served about as fast as before', () => {
    const calm = [...seconds(0, 3), ...seconds(3, 6, { milliseconds: 500 })]
    const after = (...parts: Sample[][]) => recoverySeconds([...calm, ...parts.flat()], { from: 3, to: 6 })
    expect(after(seconds(6, 9))).toBe(0)
    expect(after(seconds(6, 7, { milliseconds: 21 }), seconds(7, 10, { milliseconds: 19 }))).toBe(1)
    expect(after(seconds(6, 7, { outcome: 503 }), seconds(7, 10))).toBe(1)
    expect(after(seconds(6, 10, { outcome: 'timeout' }))).toBeUndefined()
  })
})

test('the report compares the quiet organization with itself alone', () => {
  const playOf = (samples: Record<string, Sample[]>) => ({
    samples,
    begunAt: new Date(0),
    worstBacklog: { documents: 4, oldestSeconds: 2 },
    drainSeconds: undefined,
  })
  const alone = playOf({ quiet: [sample(0, { milliseconds: 15 })] })
  const play = playOf({
    quiet: [sample(0, { milliseconds: 30 })],
    others: [sample(0), sample(1, { outcome: 503, hasRetryAfter: true })],
  })
  const measured = [
    { title: 'alone', play: alone, remarks: [] },
    { title: 'a burst', play, remarks: ['back'] },
  ]
  expect(toMarkdown({ basis: { seconds: 1, held: 100 }, measured, circumstances: '' })).toContain(
    '| a burst | 3 | 2 | 10 · 10 · 10 | 1 × 503 | 10 | 30 · 30 · 30 | 2 |  | 4 documents, 2 s old, not drained | back |',
  )
})

test('past what the gateway has room for, the stand refuses with a time to try again, serves the rest and recovers', async () => {
  const { DATABASE_URL: url, DATABASE_IMAGE: image } = process.env
  const stage = await openStage({ url, image }, 0)
  closers.push(stage.close)
  const { quiet, greedy } = stage
  const searches = (perSecond: number) => ({ mix: { search: 1 }, load: { arrivals: [{ seconds: 0.5, perSecond }] } })
  stage.provider.setPace('hang')
  const { samples } = await stage.play(
    { quiet: { callers: [quiet], ...searches(10) }, others: { callers: [greedy], ...searches(300) } },
    () => stage.provider.setPace(0),
  )
  const [ofQuiet, ofGreedy] = [figuresOf(samples.quiet), figuresOf(samples.others)]
  expect(ofQuiet).toMatchObject({ served: samples.quiet.length, outcomes: {} })
  // Three quarters of the 48 that the gateway gives to one function, and whatever came when some of these were answered.
  expect(ofGreedy.served).toBeGreaterThanOrEqual(0.75 * (48 - ofQuiet.sent))
  expect(ofGreedy.outcomes).toEqual({ 503: ofGreedy.sent - ofGreedy.served })
  const after = await stage.play({ others: { callers: [greedy], ...searches(10) } })
  expect(figuresOf(after.samples.others).outcomes).toEqual({})
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameText, type Seen } from '../../../functions/crawler/site/noise.ts'
import { isSamePage } from '../../../functions/crawler/site/same-page.ts'
import { maxMicrosecondsPerByte, microsecondsPerByte } from '../../support/time/processor-time.ts'
import { isThorough } from '../../support/tools/effort.ts'
import { requestTo, Site } from '../sites/site.ts'
import { instantClient } from './instant-client.ts'

const numRuns = isThorough ? 20_000 : 600
const at = (day: number) => new Date(Date.UTC(2026, 10, day, 9, 30))
const [monday, tuesday] = [at(23), at(24)]

const dish = fc.constantFrom('Scone', 'Cream tea', 'Soup of the day', 'Toast', 'Espresso', 'Quiche with salad')
const price = fc.integer({ min: 1, max: 40 }).map((pounds) => `£${pounds}.50`)
const fact = fc.oneof(
  fc.tuple(dish, price).map(([name, cost]) => `- ${name} ${cost}`),
  fc.tuple(dish, price, price).map(([name, small, large]) => `| ${name} | ${small} | ${large} |`),
  fc.constantFrom('Add to basket', '## Our menu', 'Open daily, 10:00 to 17:00', 'Call 020 7946 0712', 'Dogs welcome.'),
  fc.integer({ min: 1, max: 28 }).map((day) => `Closed on ${day} December 2026`),
)

const quotes = [
  ...['“Lovely people, every time.”', 'Best scones in town, and I have tried them all', 'My dog agrees with all of it'],
  ...['Five stars from our whole family', 'We drove forty miles and would do so again'],
]
const month = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const german = new Intl.DateTimeFormat('de', { dateStyle: 'full', timeZone: 'UTC' })
/** The line for the nth request, on a day. */
const noises: ((request: number, day: Date) => string)[] = [
  (request) => `[Book](https://booking.example/?token=${(request * 2_654_435_761).toString(36)})`,
  (request) => `You are visitor number ${4_000 + request}, welcome!`,
  (request) => quotes[request % quotes.length]!,
  (request) => `${request + 2} people look at this Cream tea for £8.50 now`,
  (_, day) => `Today is ${month.format(day)}. Welcome!`,
  (_, day) => german.format(day),
  (request, day) => `Last updated: ${day.toISOString().slice(0, 10)} 10:0${request}`,
]
const noise = fc.integer({ min: 0, max: noises.length - 1 }).map((kind) => ({ kind }))
type Line = string | { kind: number }
const page = fc.array(fc.oneof({ arbitrary: fact, weight: 3 }, { arbitrary: noise, weight: 2 }), {
  minLength: 1,
  maxLength: 14,
})

const text = (lines: readonly Line[], request: number, day: Date) =>
  lines.map((line) => (typeof line === 'string' ? line : noises[line.kind]!(request, day))).join('\n\n')

function isSame(before: readonly Line[], now: readonly Line[]): boolean {
  const seen: Seen = { text: text(before, 0, monday), at: monday }
  return isSameText(seen, { text: text(now, 1, tuesday), at: tuesday }, text(now, 2, tuesday), text(now, 3, tuesday))
}

test('text that differs at each request is no change, nor is today’s date', () => {
  fc.assert(
    fc.property(page, (lines) => isSame(lines, lines)),
    { numRuns },
  )
})

test('an added or removed line is a change, whatever is around it', () => {
  fc.assert(
    fc.property(page, fact, fc.nat(14), (lines, line, place) => {
      const more = lines.toSpliced(place, 0, line)
      expect([isSame(lines, more), isSame(more, lines)]).toEqual([false, false])
    }),
    { numRuns },
  )
})

test('a different price, time or date is a change', () => {
  const number = /\d+/g
  fc.assert(
    fc.property(page, fact, fc.nat(14), fc.nat(3), (lines, line, place, which) => {
      const numbers = [...line.matchAll(number)]
      const chosen = numbers[which % numbers.length]
      if (!chosen) return
      const changed = `${line.slice(0, chosen.index)}${Number(chosen[0]) + 1}${line.slice(chosen.index + chosen[0].length)}`
      expect(isSame(lines.toSpliced(place, 0, line), lines.toSpliced(place, 0, changed))).toBe(false)
    }),
    { numRuns },
  )
})

const once = (before: string, now: string, ...again: string[]) =>
  isSameText({ text: before, at: monday }, { text: now, at: tuesday }, ...(again.length ? again : [now]))

test('a changed price in a noisy line is detected', () => {
  expect(once('Seats left: 9. From £4', 'Seats left: 5. From £4', 'Seats left: 7. From £4')).toBe(true)
  expect(once('Seats left: 9. From £4', 'Seats left: 5. From £5', 'Seats left: 7. From £5')).toBe(false)
})

test('hours replaced by rotating words are detected', () => {
  expect(once('A\nMon 9:00 to 17:00\nB', `A\n${quotes[0]}\nB`, `A\n${quotes[1]}\nB`)).toBe(false)
})

test('a date counts as today’s only if the page says so', () => {
  const dated = (line: string) => once(line.replace('…', '23 November 2026'), line.replace('…', '24 November 2026'))
  for (const line of ['Today is Monday, …', '…', 'Last updated on …', 'Stand: … 10:15 Uhr', '> …'])
    expect(dated(line), line).toBe(true)
  for (const line of ['Closed on …', 'Concert: …', '… is a holiday', 'We open again on …', 'Order by …'])
    expect(dated(line), line).toBe(false)
  expect(once('Today: 21 November 2026', 'Today: 24 November 2026')).toBe(false)
})

test('a list that is shuffled at each request is unchanged, but one that was sorted has changed', () => {
  expect(once('C £3\nA £1\nB £2', 'A £1\nB £2\nC £3', 'B £2\nA £1\nC £3')).toBe(true)
  expect(once('C £3\nA £1\nB £2', 'A £1\nB £2\nC £3')).toBe(false)
  expect(once('C £4\nA £1\nB £2', 'A £1\nB £2\nC £3', 'B £2\nA £1\nC £3')).toBe(false)
})

test('a text that keeps no line has changed, and comparing long texts is quick', async () => {
  const lines = (word: string) => Array.from({ length: 40_000 }, (_, line) => `${word} ${line}`).join('\n')
  const spent = await microsecondsPerByte(lines('a'), () =>
    expect(once(lines('a'), lines('b'), lines('c'))).toBe(false),
  )
  expect(spent).toBeLessThan(maxMicrosecondsPerByte)
})

test('long lines of other words each time are a change, and comparing them is quick', async () => {
  let number = 0
  const line = () => Array.from({ length: 2_000 }, () => (number++).toString(36).replaceAll(/\d/g, 'q')).join(' ')
  const text = () => Array.from({ length: 20 }, line).join('\n')
  const [before, now, again] = [text(), text(), text()]
  const spent = await microsecondsPerByte(now, () => expect(once(before, now, again)).toBe(false))
  expect(spent).toBeLessThan(maxMicrosecondsPerByte)
})

test.each([' .', '-', '1 dec 2026 ', 'today -', '0 '])('a long line of “%s” is compared quickly', async (unit) => {
  const line = `24 November 2026${unit.repeat(200_000 / unit.length)}!a`
  expect(await microsecondsPerByte(line, () => once(line, `${line}b`))).toBeLessThan(maxMicrosecondsPerByte)
})

test('a page is requested again until its noise shows, and a change of a steady page is confirmed by two requests', async () => {
  const site = new Site({ '/': () => `<h1>Tea</h1><p>${quotes[Math.floor(site.requests.length / 2) % 3]}</p>` })
  site.url = 'http://127.0.0.1:1'
  const asked = async (before: string, now: string) => {
    site.requests.length = 0
    const [old, seen] = [before, now].map((words) => ({ text: `# Tea\n\n${words}`, at: monday }))
    return [await isSamePage(instantClient(requestTo(site)), `${site.url}/`, old!, seen!), site.requests.length]
  }
  expect(await asked('We were here before', quotes[0]!)).toEqual([true, 2])
  site.set('/', '<h1>Tea</h1><p>Scones £5</p>')
  expect(await asked('Scones £4', 'Scones £5')).toEqual([false, 2])
  site.set('/', { status: 500 })
  expect(await asked('Scones £4', 'Scones £5')).toEqual([true, 2])
})

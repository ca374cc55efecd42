import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { askedDays, datesOf } from '../../../shared/retrieval/dates/asked-days.ts'

const place = (timeZone: string, holidays: string | null = null) => ({ timeZone, holidays })
const datesAt = (question: string, at: string, zone = 'UTC', holidays: string | null = null) =>
  datesOf(askedDays(question, new Date(at), place(zone, holidays))).map(({ from, to }) =>
    from === to ? from : `${from} ${to}`,
  )

/** The local date, as the platform's own calendar has it. */
const localDay = (at: Date, timeZone: string) => at.toLocaleDateString('sv-SE', { timeZone })
const plus = (day: string, days: number) => {
  const at = new Date(`${day}T12:00Z`)
  at.setUTCDate(at.getUTCDate() + days)
  return at.toISOString().slice(0, 10)
}
const weekdayOf = (day: string) => new Date(`${day}T12:00Z`).getUTCDay()

const zones = ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/St_Johns', 'Asia/Kathmandu', 'Europe/Berlin']
const moments = fc.record({
  at: fc.date({ min: new Date('2024-01-01T00:00Z'), max: new Date('2032-12-31T00:00Z'), noInvalidDate: true }),
  zone: fc.constantFrom(...zones),
})

const nearby: Record<string, readonly [question: string, days: number][]> = {
  en: [
    ['are you open today', 0],
    ['what about tomorrow', 1],
    ['and the day after tomorrow', 2],
    ['were you open yesterday', -1],
    ['can i come in three days', 3],
    ['in 2 weeks', 14],
  ],
  de: [
    ['habt ihr heute offen', 0],
    ['habt ihr morgen auf', 1],
    ['übermorgen', 2],
    ['gestern', -1],
    ['in drei Tagen', 3],
    ['in zwei Wochen', 14],
  ],
  fr: [
    ["êtes-vous ouverts aujourd'hui", 0],
    ['et demain', 1],
    ['après-demain', 2],
    ['dans trois jours', 3],
  ],
  es: [
    ['abrís hoy', 0],
    ['y mañana', 1],
    ['pasado mañana', 2],
    ['dentro de tres días', 3],
  ],
  it: [
    ['siete aperti oggi', 0],
    ['e domani', 1],
    ['dopodomani', 2],
    ['fra tre giorni', 3],
  ],
  nl: [
    ['zijn jullie vandaag open', 0],
    ['en morgen', 1],
    ['overmorgen', 2],
    ['over drie dagen', 3],
  ],
}

describe('whatever day a question names, it is the calendar’s', () => {
  test.each(Object.keys(nearby))('days near today, in %s', (language) => {
    fc.assert(
      fc.property(moments, fc.constantFrom(...nearby[language]!), ({ at, zone }, [question, days]) => {
        expect(datesAt(question, at.toISOString(), zone)).toEqual([plus(localDay(at, zone), days)])
      }),
    )
  })

  test.each(['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'sv', 'cs', 'uk'])(
    'the coming day of the week, in %s',
    (language) => {
      fc.assert(
        fc.property(moments, fc.integer({ min: 0, max: 6 }), ({ at, zone }, weekday) => {
          const name = new Date(Date.UTC(2023, 0, 1 + weekday)).toLocaleDateString(language, {
            weekday: 'long',
            timeZone: 'UTC',
          })
          const today = localDay(at, zone)
          const days = (weekday - weekdayOf(today) + 7) % 7
          expect(datesAt(name, at.toISOString(), zone)).toEqual([plus(today, days)])
        }),
      )
    },
  )

  test.each(['en', 'de', 'fr', 'es', 'it', 'nl', 'sv', 'pt'])('a date of a month, in %s', (language) => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 0, max: 365 }), ({ at, zone }, days) => {
        const today = localDay(at, zone)
        const asked = plus(today, days)
        if (asked.slice(5) === '02-29' || asked.slice(5) === today.slice(5)) return
        const said = new Date(`${asked}T12:00Z`).toLocaleDateString(language, {
          day: 'numeric',
          month: 'long',
          timeZone: 'UTC',
        })
        expect(datesAt(`x ${said} x`, at.toISOString(), zone), said).toEqual([asked])
      }),
    )
  })

  test('the first to the last weekday of a month', () => {
    const words = ['first', 'second', 'third', 'fourth']
    fc.assert(
      fc.property(
        moments,
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 0, max: 6 }),
        ({ at, zone }, nth, weekday) => {
          const name = new Date(Date.UTC(2023, 0, 1 + weekday)).toLocaleDateString('en', {
            weekday: 'long',
            timeZone: 'UTC',
          })
          const [found] = datesAt(`the ${words[nth]} ${name} of the month`, at.toISOString(), zone)
          const date = Number(found!.slice(8))
          expect(weekdayOf(found!)).toBe(weekday)
          expect(Math.ceil(date / 7)).toBe(nth + 1)
          expect(found! >= localDay(at, zone) && found! <= plus(localDay(at, zone), 62)).toBe(true)
        },
      ),
    )
  })
})

test.each([
  ['are you open on the twenty fourth', '2026-12-20T10:00Z', ['2026-12-24']],
  ['are you open on the thirty first', '2026-09-02T10:00Z', ['2026-10-31']],
  ['on the third of may', '2026-05-04T10:00Z', ['2027-05-03']],
  ['are you open on february twenty ninth', '2026-03-01T10:00Z', ['2028-02-29']],
  ['on the thirtieth of february', '2026-03-01T10:00Z', []],
  ['this weekend', '2026-06-10T10:00Z', ['2026-06-13 2026-06-14']],
  ['at the weekend', '2026-06-14T10:00Z', ['2026-06-14']],
  ['next week', '2026-12-29T10:00Z', ['2027-01-04 2027-01-10']],
  ['are you open thursday evening next week', '2026-11-30T09:00Z', ['2026-12-10']],
  ['nächste woche am Donnerstag', '2026-11-30T09:00Z', ['2026-12-10']],
  ['on thursday or next week', '2026-11-30T09:00Z', ['2026-12-03', '2026-12-07 2026-12-13']],
  ['next friday', '2026-06-10T10:00Z', ['2026-06-19']],
  ['this friday', '2026-12-24T10:00Z', ['2026-12-25']],
  ['thursday the seventh of august', '2025-06-10T10:00Z', ['2025-08-07']],
  ['am 24.12.', '2026-06-10T10:00Z', ['2026-12-24']],
  ['habt ihr an Heiligabend auf', '2026-06-10T10:00Z', ['2026-12-24']],
  ['le lundi de Pâques', '2026-01-10T10:00Z', ['2026-04-06']],
  ['a Ferragosto siete aperti', '2026-01-10T10:00Z', ['2026-08-15']],
  ['saturday the twentieth', '2026-06-10T10:00Z', ['2026-06-20']],
  ['friday the twenty fifth', '2026-06-10T10:00Z', ['2026-09-25']],
  ['freitag dem 24. Dezember', '2027-06-10T10:00Z', ['2027-12-24']],
  ['a week from tomorrow', '2026-06-10T10:00Z', ['2026-06-18']],
  ['friday after next', '2026-06-10T10:00Z', ['2026-06-19']],
  ['the night before thanksgiving', '2026-06-10T10:00Z', ['2026-11-25']],
  ['between christmas and new year', '2026-06-10T10:00Z', ['2026-12-25 2027-01-01']],
  ['are you open sunday and monday', '2026-06-10T10:00Z', ['2026-06-14', '2026-06-15']],
  ['happy new year are you open today', '2027-01-02T10:00Z', ['2027-01-02']],
  ['okay see you tomorrow', '2026-06-10T10:00Z', []],
  ['how much is the sunday roast', '2026-06-10T10:00Z', []],
  ['do you have easter eggs', '2026-06-10T10:00Z', []],
  ['what are your hours on fridays', '2026-06-10T10:00Z', []],
  ['are you open monday to friday', '2026-06-10T10:00Z', []],
  ['what do you have on a sunday', '2026-06-10T10:00Z', []],
  ['the second one please', '2026-06-10T10:00Z', []],
  ['how much is it for four hours', '2026-06-10T10:00Z', []],
  ['may i bring my dog', '2026-06-10T10:00Z', []],
  ['guten morgen habt ihr brot', '2026-06-10T10:00Z', []],
  ['a que hora abren por la mañana', '2026-06-10T10:00Z', []],
])('“%s” at %s names %j', (question, at, expected) => {
  expect(datesAt(question, at)).toEqual(expected)
})

test('a holiday is the one of the agent’s country, or of the country of its zone', () => {
  const at = '2026-09-01T10:00Z'
  expect(datesAt('on thanksgiving', at, 'America/New_York')).toEqual(['2026-11-26'])
  expect(datesAt('on thanksgiving', at, 'America/Toronto')).toEqual(['2026-10-12'])
  expect(datesAt('on thanksgiving', at, 'America/New_York', 'CA-ON')).toEqual(['2026-10-12'])
  expect(datesAt('on labour day', '2026-05-02T10:00Z', 'Europe/Berlin')).toEqual(['2027-05-01'])
  expect(datesAt('on victoria day', '2027-05-01T10:00Z', 'America/Toronto')).toEqual(['2027-05-24'])
})

test('at the edges of zones and changes of clocks, today is the local day', () => {
  for (const [at, zone, today] of [
    ['2026-11-30T10:30Z', 'Pacific/Kiritimati', '2026-12-01'],
    ['2026-12-01T10:30Z', 'Pacific/Pago_Pago', '2026-11-30'],
    ['2026-03-08T04:59Z', 'America/New_York', '2026-03-07'],
    ['2026-11-02T04:30Z', 'America/New_York', '2026-11-01'],
    ['2026-03-28T23:30Z', 'Europe/Berlin', '2026-03-29'],
    ['2026-12-31T23:30Z', 'Europe/Berlin', '2027-01-01'],
  ])
    expect(datesAt('are you open today', at!, zone), `${at} ${zone}`).toEqual([today])
})

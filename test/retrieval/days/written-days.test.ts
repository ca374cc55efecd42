import { expect, test } from 'vitest'
import { dayOf, isPublicHoliday } from '../../../shared/retrieval/dates/calendar.ts'
import { namingOf } from '../../../shared/retrieval/dates/written-days.ts'

const toronto = { timeZone: 'America/Toronto', holidays: 'CA-ON' }
const day = (text: string) => dayOf(...(text.split('-').map(Number) as [number, number, number]))!

test.each([
  ['On Christmas Eve (December 24) we close at 2 pm.', { '2026-12-24': 'date', '2026-12-25': 'others' }],
  [
    'Closed from July 20 to August 2 for our holiday.',
    { '2026-07-20': 'range', '2026-08-01': 'range', '2026-08-03': 'others', '2027-01-20': 'others' },
  ],
  [
    'Unsere Betriebsferien 2026: vom 20. Juli bis 2. August 2026 geschlossen.',
    { '2026-07-25': 'range', '2027-07-25': 'others' },
  ],
  [
    'Geschlossen 20.7. – 2.8., 24.12. und 31.12.',
    { '2026-07-30': 'range', '2026-12-31': 'date', '2026-12-30': 'others' },
  ],
  ['24–26 December: closed', { '2026-12-25': 'range', '2026-12-27': 'others' }],
  ['24, 25 and 27 December: closed', { '2026-12-24': 'date', '2026-12-25': 'date', '2026-12-26': 'others' }],
  ['December 24–26 closed', { '2026-12-25': 'range', '2026-12-27': 'others' }],
  ['Friday 3 to Monday 6 April 2026: closed', { '2026-04-04': 'range', '2027-04-04': 'others' }],
  ['December 24, 9 am to 2 pm', { '2026-12-24': 'date', '2026-12-10': 'others' }],
  [
    'From December 30 to January 2 we are away.',
    { '2026-12-31': 'range', '2027-01-01': 'range', '2027-01-03': 'others' },
  ],
  ['The first Friday of each month we are open until 10 pm', { '2026-12-04': 'rule', '2026-12-11': 'others' }],
  ['Every second Wednesday from 7 January 2026 we open late', { '2026-01-21': 'rule', '2026-01-14': 'others' }],
  ['From June to September we open at 8', { '2026-07-01': 'season', '2026-11-01': 'others' }],
  [
    'In winter, from 1 June to 31 August, we close at 18:30 on Thursdays.',
    { '2026-07-16': 'season', '2026-07-17': 'others' },
  ],
  ['Labour Day (first Monday in September): closed', { '2026-09-07': 'date', '2026-09-08': 'others' }],
  [
    'Easter Monday and the May and August bank holidays: open 10 to 8',
    { '2026-06-12': 'others', '2026-04-06': 'date' },
  ],
  ['Public holidays: closed', { '2026-12-25': 'range', '2026-12-23': 'others' }],
  ['Mon–Thu: 9 to 5', { '2026-11-24': 'weekday', '2026-11-27': 'none' }],
  ['Friday: 9:00 – 17:00', { '2026-11-27': 'weekday', '2026-11-28': 'none' }],
  ['On weekdays from 9 to 5', { '2026-11-27': 'weekday', '2026-11-28': 'none' }],
  ['Lundi de Pâques fermé', { '2026-04-06': 'date' }],
  ['du 1er au 15 août fermé', { '2026-08-03': 'range', '2026-08-16': 'others' }],
  ['del 1 al 15 de agosto cerrado', { '2026-08-10': 'range', '2026-08-16': 'others' }],
  ['dal 10 al 20 agosto siamo chiusi', { '2026-08-15': 'range' }],
  ['Op 12-3-2027 sluiten we om 14.00 uur', { '2027-03-12': 'date', '2026-03-12': 'others' }],
  ['August 10 through August 15: no exams, so there is time', { '2026-08-12': 'range' }],
  ['Closed 15-19 June.', { '2026-06-17': 'range', '2026-06-20': 'others' }],
  ['Closed June 15-19, 2026.', { '2026-06-17': 'range', '2027-06-17': 'others' }],
  ['Half-term week (26–30 October): 9:00-15:00 only.', { '2026-10-28': 'range' }],
  ['between the 26th and the 30th of October we close early', { '2026-10-28': 'range' }],
  ['closed from Good Friday to Easter Monday', { '2026-04-04': 'range', '2026-04-07': 'others' }],
  [
    'Closed from Christmas Eve until January 3',
    { '2026-12-29': 'range', '2027-01-03': 'range', '2027-01-04': 'others' },
  ],
  ['Closed between Christmas and New Year', { '2026-12-29': 'range' }],
  ['As of 5 October we no longer open on Saturdays', { '2026-11-07': 'season', '2026-11-06': 'others' }],
  ['We are closed until 19 June', { '2026-06-17': 'season', '2026-06-20': 'others' }],
  ['Closed on the 1st Monday of each month', { '2026-07-06': 'rule', '2026-07-13': 'others' }],
  ['We are closed for the whole of August', { '2026-08-12': 'season' }],
  ['In July and August we close at 2pm', { '2026-07-14': 'season', '2026-08-14': 'season', '2026-09-14': 'others' }],
  ['Dec 28, 29 and 30, 10-2', { '2026-12-28': 'date', '2026-12-29': 'date', '2026-12-30': 'date' }],
  ['Mon-Thu 11am-10pm', { '2026-11-25': 'weekday', '2026-11-27': 'none' }],
  ['Fri 11am-2am', { '2026-11-27': 'weekday' }],
  ['You may bring so many friends', { '2026-05-25': 'none' }],
  ['We use nuts, so we cannot promise a nut-free pie', { '2026-05-24': 'none' }],
  ['Do you take bookings?', { '2026-05-28': 'none' }],
  ['The clinic: Mon & Wed 8-2', { '2026-05-25': 'weekday', '2026-05-27': 'weekday', '2026-05-26': 'none' }],
  ['On weekends from 10 to 4', { '2026-05-30': 'weekday', '2026-05-29': 'none' }],
  ['Emergency line 24/7', { '2026-07-24': 'none' }],
  ['Closed 4/8 for stocktaking', { '2026-08-04': 'date', '2026-04-08': 'others' }],
  ['Closed 4/8 and 12/24', { '2026-04-08': 'date', '2026-12-24': 'date', '2026-08-04': 'others' }],
  ['The Friday after Thanksgiving we open at noon', { '2026-10-16': 'date', '2026-10-12': 'others' }],
  ['The night before Christmas Day we close at 6', { '2026-12-24': 'date', '2026-12-25': 'others' }],
  ['12/31 – New Year’s Eve, bar until 2 am', { '2026-12-31': 'date', '2026-12-30': 'others' }],
  [
    'Closed from New Year’s Day, Friday 1 January, until Monday 4 January 2027',
    { '2027-01-03': 'range', '2027-03-12': 'others' },
  ],
  [
    'First Monday of every month (October to April): closed until 1 pm',
    { '2026-11-02': 'rule', '2026-11-09': 'others', '2026-07-06': 'others' },
  ],
  ['Mother’s Day: open from 10', { '2026-05-10': 'date' }],
  ['Third Thursday: oyster night', { '2026-05-21': 'rule', '2026-05-14': 'others' }],
  ['The summer bank holiday we are closed', { '2026-08-31': 'date', '2026-12-25': 'others' }],
  ['Friday 25 December is a bank holiday, so we are closed', { '2026-12-25': 'date', '2026-12-28': 'others' }],
  ['It costs 3.50 for 2 people', { '2026-03-02': 'none' }],
])('“%s” names days as %j', (sentence, expected) => {
  const found = Object.keys(expected).map((each) => [each, namingOf(sentence, day(each), toronto)])
  expect(Object.fromEntries(found)).toEqual(expected)
})

test('“4/8” is read as where it was written', () => {
  const denver = { timeZone: 'America/Denver', holidays: null }
  expect(namingOf('Closed 4/8', day('2026-04-08'), denver)).toBe('date')
  expect(namingOf('Closed 24/12 and 4/8', day('2026-08-04'), denver)).toBe('date')
  expect(namingOf('Closed 4/8', day('2026-04-08'), { timeZone: 'UTC', holidays: null })).toBe('none')
})

test.each([
  ['2026-12-25', 'GB', true],
  ['2026-12-28', 'GB', true],
  ['2026-12-29', 'GB', false],
  ['2026-07-03', 'US', true],
  ['2026-08-31', 'GB', true],
  ['2026-10-26', 'IE', true],
  ['2027-04-26', 'NZ', true],
  ['2026-11-02', 'FR', false],
  ['2026-11-01', 'FR', true],
])('%s is a public holiday in %s: %s', (text, holidays, expected) => {
  expect(isPublicHoliday(day(text), { timeZone: 'UTC', holidays })).toBe(expected)
})

import { describe, expect, test } from 'vitest'
import { maxReadings, type Reading, readings } from '../../shared/retrieval/keyword/spoken/readings.ts'

const wordsOf = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
const textsOf = (found: Reading[]) => [...new Set(found.map((reading) => reading.text))].join(' ')

/** Spoken phrases, each with all its readings, if it has any. */
const phrases: Record<string, string> = {
  codes: `
    order k double four seven one = k4471 4471 / is there a k four four seven one = ak4471 k4471 4471
    k four four seven one = k4471 4471 / k forty four seventy one = k4471 4471
    k four thousand four hundred seventy one = k4471 4471 / s p dash four oh four one = sp4041 4041
    order number sp dash 4041 please = sp4041 / k 44 71 = k4471 4471 / k 4471 = k4471 / k-4471 = k4471 / K4471
    qx 4471 b = qx4471b qx4471 / q x dash four four seven one dash b = qx4471b qx4471 4471
    two k double four seven one = 2k4471 2 k4471 4471 / k four four uh seven one = k4471 4471
    k triple seven = k777 777 / double o seven = 007 / double a batteries = aa / room 12 b = 12b
    the b twelve bus = b12 12 / ip sixty eight = ip68 68 / model x 5 = x5 / e four five six = e456 456
    invoice twenty twenty four slash seventeen = 202417 2024 17 / a four four seven one = a4471 4471
    see four four seven one = c4471 4471 / see k four four = ck44 k44 44 / november 24 / hotel 44 / a 4 paper
    5 km = 5km / two x four = 2x4 2 x4 4 / ka vier vier sieben eins = k4471 4471
    k doppelvier sieben eins = k4471 4471 / k doppel vier sieben eins = k4471 4471
    ka vierundvierzig einundsiebzig = k4471 4471 / q x strich vier null vier eins = qx4041 4041
    k viertausendvierhunderteinundsiebzig = k4471 4471 / zweimal die vier sieben eins = 4471 / k zwo drei = k23 23
    k quatre quatre sept un = k4471 4471 / k tiret quarante quatre soixante et onze = k4471 4471
    my order is a s four zero one dash two = as4012 as401 s4012 401 2
    ersatzteil es pe vier null drei vier = sp4034 p4034 4034 / artikel s p bindestrich 4034 = sp4034 sp
    die rechnung zweitausendvierundzwanzig strich null null siebzehn = 20240017 2024 0017`,
  letters: `
    is it b m w compatible = bmw / kilo four four = k44 44 / kilo four four seven one = k4471 4471
    mike oscar four four = mo44 44 / x ray seven nine = x79 79 / k for kilo four four = k44 44
    k as in kilo four four seven one = k4471 4471 / p as in peter four four one = p441 441
    kay double four seven one = k4471 4471 / ess pee four oh four one = sp4041 4041
    cue x double u seven = qxw7 7 / are p m four four seven one = rpm4471 pm4471 4471 / d v d = dvd
    u s b = usb / i b a n = iban ban / m u e l l e r = mueller / m double u five = mw5 5
    siegfried paula vier null vier eins = sp4041 4041 / s wie siegfried p wie paula vier null vier eins = sp4041 4041
    salzwedel potsdam vier null vier eins = sp4041 4041 / umlaut aachen berta = äb / ypsilon zwo drei = y23 23
    d wie dora e wie emil n wie nordpol = den / pe ka vier vier = pk44 44 / k comme kléber quatre quatre = k44 44`,
  numbers: `
    two = 2 / nineteen = 19 / forty two = 42 / one hundred = 100 / a hundred and twenty = 120
    two hundred and fifty = 250 / two hundred fifty = 250 / nine hundred ninety nine = 999 / twelve hundred = 1200
    two thousand twenty four = 2024 / four thousand four hundred seventy one = 4471
    one million two hundred thousand = 1200000 / 2 thousand = 2000 / 1,200 = 1200
    forty four seventy one = 4471 44.71 / four four seven one = 4471 / nineteen ninety eight = 1998 19.98
    nineteen oh five = 1905 19:05 19.05 / twenty twenty four = 2024 20:24 20.24 / 44 71 = 4471 44.71 44,71
    oh four four one = 0441 441 / zero one two three = 0123
    my phone is oh one seven two double three four five six seven eight = 01723345678 1723345678 / twenty first = 21
    the third floor = 3 / thirty first of december = 31 / einundzwanzig = 21 / ein und zwanzig = 21
    zweihundertfünfzig = 250 / zweihundertfuenfzig = 250 / zwölf = 12 / zwoelf = 12 / dreissig = 30
    hunderteins = 101 / zweitausendvierundzwanzig = 2024 / neunzehnhundertachtundneunzig = 1998
    sechsundsechzigtausendsiebenhundert = 66700 / vierundvierzig einundsiebzig = 4471 44,71 44.71
    null eins sieben zwo drei drei vier = 0172334 / am einundzwanzigsten dezember = 21 / am dritten mai = 3
    dix sept = 17 / soixante dix = 70 / soixante et onze = 71 / vingt et un = 21 / quatre vingts = 80
    quatre vingt onze = 91 / quatre vingt dix sept = 97 / septante deux = 72 / deux cent cinquante = 250
    mille neuf cent quatre vingt dix huit = 1998 / deux mille vingt quatre = 2024 / zéro un quarante deux = 0142`,
  times: `
    nine thirty = 930 9:30 9.30 / 9 30 = 930 9:30 9.30 9,30 / nine oh five = 905 9:05 9.05
    twelve thirty four = 1234 12:34 12.34 / half past nine = 9:30 9 / half nine = 9:30 9
    quarter past twelve = 12:15 12 / a quarter to one = 12:45 1 / ten past nine = 9:10 10 9
    twenty five to one = 12:35 25 1 / nine a m = 9:00 9am 9 / 9am = 9:00 / 5pm = 5:00 17:00
    five p m = 5:00 5pm 17:00 5 / nine thirty p m = 9:30 21:30 930 9.30 / nine oh five a m = 9:05 905 9.05
    930 am = 9:30 / 12 am = 12:00 12am 0:00 / seven o clock = 7:00 7 / one o clock = 1:00 1
    seven thirty in the evening = 7:30 19:30 730 7.30 / noon = 12:00 / halb zehn = 9:30 10 / halb eins = 12:30 1
    halb dreizehn = 12:30 13 / viertel vor acht = 7:45 8 / viertel nach acht = 8:15 8 / viertel acht = 7:15 8
    dreiviertel acht = 7:45 8 / drei viertel acht = 7:45 8 / fünf vor halb zehn = 9:25 5 10
    zehn nach neun = 9:10 10 9 / neun uhr = 9:00 9 / neun uhr dreißig = 9:30 9:00 9 30 / neun uhr fünf = 9:05 9:00 9 5
    neun uhr 30 = 9:30 9:00 9 / ein uhr = 1:00 / acht uhr abends = 8:00 8pm 20:00 8 / halb acht abends = 7:30 19:30 8
    1930 uhr = 19:30 / 14h30 = 14:30 / neuf heures = 9:00 9 / neuf heures et demie = 9:30 9
    neuf heures et quart = 9:15 9 / neuf heures moins le quart = 8:45 9 / quinze heures trente = 15:30 15:00 15 30
    trois heures de l'après-midi = 3:00 3pm 15:00 3 / midi = 12:00
    between ten and eleven thirty = 10 1130 11:30 11.30
    from 9 30 to 17 00 = 930 9:30 9.30 9,30 1700 17:00 17.00 17,00 / le lundi de 9 à 17 heures = 17:00`,
  'Spanish, Italian and Dutch': `
    son treinta y dos euros = 32,00 32.00 32 / a las ocho y cuarto = 8:15 8 / a las once y media = 11:30 11,5 11.5 11
    las nueve menos cuarto = 8:45 9 / once upon a time / cuatro cuatro siete uno = 4471 / mil doscientos cinco = 1205
    alle otto e un quarto = 8:15 8 / alle nove e mezza = 9:30 9,5 9.5 9 / quanto costa ventidue euro = 22,00 22.00 22
    when is the rent due / quattro quattro sette uno = 4471 / duemilaventiquattro = 2024
    om kwart over acht = 8:15 8 / om half negen = 8:30 9 / tien voor negen = 8:50 10 9 / vijfentwintig euro = 25,00 25.00 25
    om negen uur dertig = 9:30 9:00 9 30 / ik heb een hond`,
  'prices and decimals': `
    it costs five ninety nine = 599 5.99 / der kaffee für drei neunzig = 390 3,90 3.90
    twenty four ninety = 2490 24.90 / 24 90 = 2490 24.90 24,90 / twelve fifty = 1250 12:50 12.50 / five euros = 5.00 5
    twenty four euros and ninety cents = 24.90 24 90 / twenty four pounds fifty = 24.50 24 50
    a hundred and twenty dollars = 120.00 120 / ninety nine cents = 0.99 99 / fifty p = 50p 0.50 50
    a pound fifty = 1.50 50 / three point five = 3.5 3 5 / zero point five = 0.5 0 5
    three point one four = 3.14 3 14 / one dot two dot three = 1.2.3 1 2 3 / two and a half = 2.5 2
    vierundzwanzig neunzig = 2490 24,90 24.90 / vierundzwanzig euro neunzig = 24,90 24.90 24 90
    ein euro fünfzig = 1,50 1.50 50 / sechs franken = 6,00 6.00 6 / neunundneunzig cent = 0,99 0.99 99
    drei komma fünf = 3,5 3.5 3 5 / null komma fünfundzwanzig = 0,25 0.25 0 25 / zweieinhalb = 2,5 2.5
    vingt quatre euros quatre vingt dix = 24,90 24 90 / cent euros = 100,00 100 / onze euros cinquante = 11,50 11 50
    trois virgule cinq = 3,5 3.5 3 5`,
  addresses: `
    info at kaffee minus shop dot de = info@kaffee-shop.de / info ät kaffee minus shop punkt de = info@kaffee-shop.de
    info at kaffee haus dot de = info@kaffeehaus.de / john dot smith at example dot com = john.smith@example.com
    j o h n at example dot com = john@example.com john / anna underscore b at gmail dot com = anna_b@gmail.com
    write to info at shop twenty four dot co dot uk please = info@shop24.co.uk info@shoptwentyfour.co.uk 24
    info arobase boulangerie tiret martin point fr = info@boulangerie-martin.fr martin.fr
    anna punkt müller at t minus online punkt de = anna.müller@t-online.de / kaffee minus shop dot de = kaffee-shop.de
    www dot kaffee minus haus dot com = www.kaffee-haus.com / kaffee minus shop dot d e = kaffee-shop.de de
    meine mail ist kontakt at fahrrad minus müller punkt de = kontakt@fahrrad-müller.de`,
  'ordinary sentences': `
    can you see the t v = tv / two for one = 2 1 / are you open on the 24th of december / ab wieviel uhr haben sie auf
    where can i park / are you open on sunday / what's the wi-fi password / i have two dogs and one cat = 2 1
    i'd like to book a table for two = 2 / do you repair washing machines / can i see the menu please
    i don't know if you are still there / we'll be there in an hour / is there anything for a child who can't eat nuts
    why are you closed today / um i was uh wondering if you have a parking lot / who is the owner of the shop
    which one is cheaper = 1 / oh no i lost my key / oh two people please = 2 / are dogs allowed in the hotel
    my name is charlie and i'm calling from the hotel / at first i wanted a second opinion
    it's me again i'm afraid it's broken / to be or not to be that is the question
    do you have half a pound of butter / thanks a million = 1000000 / i'll take the t-shirt in size s
    do you sell x ray machines / can you double check my order / i want to double my order for saturday
    meet me at the cafe / what is the point / open from nine to five = 9 5 / ten to fifteen people = 10 15
    are four people too many = 4 / wann haben sie am samstag geöffnet / ich hätte gern einen termin bei frau schneider
    gibt es bei euch einen parkplatz / ich suche ein ersatzteil für meine kaffeemühle
    es tut mir leid er ist am telefon / machen sie auch hausbesuche in berlin / das ist halb so schlimm
    von neun bis siebzehn uhr geöffnet = 9 17:00 17 / ein viertel der kunden kommt wieder
    das ist mir zu teuer haben sie etwas günstigeres / wir haben drei kinder und einen hund = 3
    wir achten auf die umwelt = 8 / est-ce que vous êtes ouvert le dimanche
    je voudrais réserver une table pour ce soir / c'est combien pour un enfant / il n'y a pas de parking
    j'ai perdu ma clé / l'hôtel est il ouvert en hiver`,
}
const rowsOf = (text: string) =>
  text
    .split(/\n| \/ /)
    .filter((row) => row.trim())
    .map((row) => row.split('=').map((side) => side.trim()))

describe.each(Object.entries(phrases))('%s', (_, rows) => {
  test.each(rowsOf(rows))('%j reads as %j', (query = '', texts = '') => {
    expect(textsOf(readings(wordsOf(query)))).toBe(texts)
  })
})

test.each([
  ['order k double four seven one please', '1-6 k4471, 2-6 4471'],
  ['open at half past nine', '2-5 9:30, 4-5 9'],
  ['k four four uh seven one', '0-6 k4471, 1-6 4471'],
  ['the twenty first of may', '1-3 21'],
  ['zimmer zweihundertfünfzig bitte', '1-2 250'],
  ['open from nine to 5pm', '2-3 9, 4-5 5:00, 4-5 17:00'],
])('readings of %j say which words they replace', (query, expected) => {
  const found = readings(wordsOf(query)).map(({ from, to, text }) => `${from}-${to} ${text}`)
  expect(found.join(', ')).toBe(expected)
})

const spaced = (text: string) => text.split(' ')
const english = {
  small: spaced(
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  ),
  tens: spaced('- - twenty thirty forty fifty sixty seventy eighty ninety'),
}
function inEnglish(n: number): string {
  if (n < 20) return english.small[n]!
  if (n < 100) return english.tens[Math.floor(n / 10)]! + (n % 10 ? `-${inEnglish(n % 10)}` : '')
  const [scale, name, and] = n < 1000 ? [100, 'hundred', ' and '] : [1000, 'thousand', ' ']
  return `${inEnglish(Math.floor(n / scale))} ${name}${n % scale ? and + inEnglish(n % scale) : ''}`
}

const german = {
  small: spaced(
    'null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
  ),
  tens: spaced('- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'),
}
function inGerman(n: number): string {
  if (n < 20) return german.small[n]!
  if (n < 100) return (n % 10 ? `${inGerman(n % 10)}und` : '') + german.tens[Math.floor(n / 10)]
  const [scale, name] = n < 1000 ? [100, 'hundert'] : [1000, 'tausend']
  return inGerman(Math.floor(n / scale)) + name + (n % scale ? inGerman(n % scale) : '')
}

const french = {
  small: spaced(
    'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
  ),
  tens: spaced('- - vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt'),
}
function inFrench(n: number): string {
  if (n < 20) return french.small[n]!
  if (n < 100) {
    const rest = n >= 60 ? n % 20 : n % 10
    return french.tens[Math.floor(n / 10)]! + (rest ? (rest % 10 === 1 && n < 80 ? ' et ' : '-') + inFrench(rest) : '')
  }
  const [scale, name] = n < 1000 ? [100, 'cent'] : [1000, 'mille']
  const head = n < 2 * scale ? '' : `${inFrench(Math.floor(n / scale))} `
  return `${head}${name} ${n % scale ? inFrench(n % scale) : ''}`
}

const dutch = {
  small: spaced(
    'nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien',
  ),
  tens: spaced('- - twintig dertig veertig vijftig zestig zeventig tachtig negentig'),
}
function inDutch(n: number): string {
  if (n < 20) return dutch.small[n]!
  const unit = dutch.small[n % 10]!
  if (n < 100) return (n % 10 ? unit + (unit.endsWith('e') ? 'ën' : 'en') : '') + dutch.tens[Math.floor(n / 10)]
  const [scale, name] = n < 1000 ? [100, 'honderd'] : [1000, 'duizend']
  return (n < 2 * scale ? '' : inDutch(Math.floor(n / scale))) + name + (n % scale ? inDutch(n % scale) : '')
}

const spanish = {
  small: spaced(
    'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho ' +
      'diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve',
  ),
  tens: spaced('- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa'),
  hundreds: spaced(
    '- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos',
  ),
}
function inSpanish(n: number): string {
  if (n < 30) return spanish.small[n]!
  if (n < 100) return spanish.tens[Math.floor(n / 10)]! + (n % 10 ? ` y ${inSpanish(n % 10)}` : '')
  if (n === 100) return 'cien'
  const head =
    n < 1000 ? spanish.hundreds[Math.floor(n / 100)]! : n < 2000 ? 'mil' : `${inSpanish(Math.floor(n / 1000))} mil`
  const rest = n % (n < 1000 ? 100 : 1000)
  return head + (rest ? ` ${inSpanish(rest)}` : '')
}

const italian = {
  small: spaced(
    'zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette ' +
      'diciotto diciannove',
  ),
  tens: spaced('- - venti trenta quaranta cinquanta sessanta settanta ottanta novanta'),
}
function inItalian(n: number): string {
  if (n < 20) return italian.small[n]!
  if (n < 100) {
    const tens = italian.tens[Math.floor(n / 10)]!
    const unit = n % 10 ? inItalian(n % 10) : ''
    return (/^[uo]/.test(unit) ? tens.slice(0, -1) : tens) + unit
  }
  const [scale, one, many] = n < 1000 ? [100, 'cento', 'cento'] : [1000, 'mille', 'mila']
  const head = n < 2 * scale ? one : inItalian(Math.floor(n / scale)) + many
  return head + (n % scale ? inItalian(n % scale) : '')
}

test.each([
  ['English', inEnglish],
  ['German', inGerman],
  ['French', inFrench],
  ['Spanish', inSpanish],
  ['Italian', inItalian],
  ['Dutch', inDutch],
])('reads any number below a million in %s', (language, say) => {
  // German counts "hunderteins", but "hunderteintausend".
  const spoken = (n: number) => (language === 'German' ? say(n).replace(/ein$/, 'eins') : say(n))
  const misread: string[] = []
  for (let n = 2; n < 1_000_000; n += n < 1000 ? 1 : 7919) {
    const words = wordsOf(spoken(n))
    const isRead = readings(words).some(({ from, to, text }) => from === 0 && to === words.length && text === String(n))
    if (!isRead) misread.push(spoken(n))
  }
  // French "cent" alone is left to the English coin.
  // French "cent" alone is left to the English coin; "due" and "once" by themselves are English words.
  expect(misread).toEqual({ French: ['cent '], Italian: ['due'], Spanish: ['once'] }[language] ?? [])
})

test('readings lie within the query, in its order, and add something to it', () => {
  const vocabulary = wordsOf(
    Object.values(phrases)
      .flatMap(rowsOf)
      .map(([said]) => said)
      .join(' '),
  )
  let state = 7
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  for (let round = 0; round < 200; round++) {
    const words = Array.from({ length: 1 + random(20) }, () => vocabulary[random(vocabulary.length)]!)
    const found = readings(words)
    for (const [i, { from, to, text }] of found.entries()) {
      expect(from >= (found[i - 1]?.from ?? 0) && to > from && to <= words.length && text !== '', words.join(' ')).toBe(
        true,
      )
      if (to === from + 1) expect(text).not.toBe(words[from])
    }
  }
})

test.each(['k 4', 'four four', 'x dot de at', 'ten past half', 'four point'])(
  'a query of 8,000 characters of %j has a bounded number of readings, none of them longer than a code',
  (said) => {
    const found = readings(wordsOf(`${said} `.repeat(8000).slice(0, 8000)))
    expect(found.length).toBeLessThanOrEqual(maxReadings)
    for (const { text } of found) expect(text.length).toBeLessThan(100)
  },
)

test('digits longer than any code have no reading', () => {
  expect(textsOf(readings(wordsOf('four '.repeat(34))))).toBe('4'.repeat(34))
  expect(readings(wordsOf('four '.repeat(35)))).toEqual([])
})

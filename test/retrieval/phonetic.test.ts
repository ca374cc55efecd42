import { describe, expect, test } from 'vitest'
import { phoneticCodes } from '../../shared/terms/phonetic.ts'

const meet = (a: string, b: string) => phoneticCodes(a).some((code) => phoneticCodes(b).includes(code))
const pairs = (text: string) => text.split(', ').map((pair) => pair.split(' ') as [string, string])

describe('a name matches a speech recogniser’s spelling of it', () => {
  // Polish, German, Turkish, Albanian, French, Irish, English, Spanish and Vietnamese names, brands and medicines.
  test.each(
    pairs(
      'kowalski kovalsky, wisniewski vishnevsky, kaczmarek kachmarek, jankowski yankovsky, dabrowski dombrovski, ' +
        'pietrzak pietshak, rzeszow jeshov, szczepanski schepanski, mickiewicz mitskevich, kovac kovach, schmidt smith, ' +
        'meyer maier, maier mayr, muller mueller, pfeiffer fifer, vogel fogel, groscheim grosheim, schillerstrasse ' +
        'shilerstrase, konigsallee kernigsalley, heidelberg hidelberg, quast kvast, yilmaz ilmas, sahin shahin, celik ' +
        'chelik, erdogan erdowan, caglar chalar, hoxha hodja, beaumont bomon, renault reno, peugeot pojo, bordeaux ' +
        'bordo, dubois dubwa, arnaud arno, thierry tieri, benoit benwa, francois fransoa, guillaume giyom, camille ' +
        'kamee, chevalier shevalie, jacques jack, siobhan shivawn, niamh neev, aoife eefa, caoimhe keeva, saoirse ' +
        'seersha, callaghan callahan, knight nite, wright rite, thompson tomson, leicester lester, mcdonald macdonald, ' +
        'hayley haley, jose hosay, jimenez himenez, xavier zavier, hernandez ernandes, nguyen nuwen, delonghi delongee, ' +
        'bosch bosh, jura yura, saeco sayco, gaggia gajia, hyundai hunday, xiaomi shaomi, xarelto ksarelto, ibuprofen ' +
        'ibuprophen, ozempic osempik, eliquis elikwis, zyrtec zirtek',
    ),
  )('%s and %s', (name, heard) => {
    expect(meet(name, heard)).toBe(true)
  })
})

describe('names that sound different stay apart', () => {
  test.each(
    pairs(
      'kowalski kaminski, schmidt schneider, meyer muller, bosch braun, jura miele, saeco jura, xarelto eliquis, ' +
        'ibuprofen aspirin, renault peugeot, yilmaz yildiz, bauer bruder, schule schild, kaiser kasten',
    ),
  )('%s and %s', (a, b) => {
    expect(meet(a, b)).toBe(false)
  })
})

test('at most three in a thousand pairs of ordinary words match', () => {
  const words = (
    'account address afternoon airport animal answer bakery balance basket battery bedroom bicycle birthday blanket bread breakfast ' +
    'camera candle carpet cheese chicken church coffee contract corner customer delivery dentist deposit doctor engine evening ' +
    'flower garden hammer hospital insurance invoice january kitchen laundry letter machine mirror morning needle neighbor office ' +
    'abholung adresse angebot anleitung apotheke bahnhof batterie bestellung brille dichtung einkauf fahrrad fenster flasche ' +
    'garage geburtstag gericht geschenk heizung himmel kaffee kalender kartoffel keller klingel kuchen lampe lieferung mantel ' +
    'messer nachbar ofen paket pfanne pflaster quittung rechnung regal reparatur schraube schule spiegel stempel tablette teppich'
  ).split(' ')
  const all = words.flatMap((a, i) => words.slice(0, i).map((b) => [a, b] as const))
  expect(all.filter(([a, b]) => meet(a, b)).length / all.length).toBeLessThan(0.003)
})

test('a word that languages read differently has a code for each reading, the likelier one first', () => {
  expect(phoneticCodes('jura')).toEqual(['JARA', 'SARA', 'ARA'])
  expect(phoneticCodes('bach')).toEqual(['PAK', 'PAS'])
  expect(phoneticCodes('kowalski')).toEqual(['KLSK', 'KFLSK'])
})

test('vowels count in a short name, and not in a long one', () => {
  expect(meet('bosch', 'boschi')).toBe(false)
  expect(meet('genevieve', 'jonvieve')).toBe(true)
})

test.each(['', 'ab', 'k4471', '447', 'qx4471b', 'eau', 'you', 'カフェオレ', 'кофе'])('"%s" has no code', (word) => {
  expect(phoneticCodes(word)).toEqual([])
})

test('any three letters have at most four codes, made of sounds only', () => {
  const alphabet = [...'abcdefghijklmnopqrstuvwxyz']
  const words = alphabet.flatMap((a) => alphabet.flatMap((b) => alphabet.map((c) => `${a}${b}${c}`)))
  const wrong = words.filter((word) => {
    const codes = phoneticCodes(word.repeat(2))
    return codes.length > 4 || codes.some((code) => !/^[APFTKSLRMNJ]+$/.test(code))
  })
  expect(wrong).toEqual([])
})

import { icaoLetters, icaoNames, table, together } from './alphabet.ts'
import type { Language } from './language.ts'

export const dutch: Language = {
  numbers: table(`
    0 nul; 2 twee; 3 drie; 4 vier; 5 vijf; 6 zes; 7 zeven; 8 acht; 9 negen; 10 tien; 11 elf; 12 twaalf; 13 dertien;
    14 veertien; 15 vijftien; 16 zestien; 17 zeventien; 18 achttien; 19 negentien; 20 twintig; 30 dertig; 40 veertig;
    50 vijftig; 60 zestig; 70 zeventig; 80 tachtig; 90 negentig
  `),
  scales: { 100: 'honderd', 1000: 'duizend', 1000000: 'miljoen' },
  bareScales: true,
  one: 'een, één',
  articleOne: 'één',
  ordinals: table(`
    1 eerste; 2 tweede; 3 derde; 4 vierde; 5 vijfde; 6 zesde; 7 zevende; 8 achtste; 9 negende; 10 tiende; 11 elfde;
    12 twaalfde; 13 dertiende; 14 veertiende; 15 vijftiende; 16 zestiende; 17 zeventiende; 18 achttiende;
    19 negentiende; 20 twintigste; 30 dertigste
  `),
  and: 'en, ën',
  unitsFirst: true,
  compounds: true,
  repeats: { 2: 'dubbel, dubbele', 3: 'driemaal' },
  letters: together(icaoLetters, 'k ka; p pe, pee; q ku; x ix; y ypsilon, griekse ij; z zet'),
  alphabets: together(
    icaoNames,
    `
    b bernard; c cornelis; d dirk; e eduard; f ferdinand; g gerard; h hendrik; i izaak; j johan; k karel;
    l lodewijk; m maria; n nico; o otto; p pieter; q quotiënt; r rudolf; s simon; t teunis; u utrecht; v victor;
    w willem; x xantippe; z zaandam
  `,
  ),
  homophones: {},
  signs: {
    '-': 'streepje, min',
    '/': 'schuine streep, slash',
    _: 'liggend streepje, underscore',
    '.': 'punt',
    ',': 'komma',
    '@': 'apenstaartje',
    '+': 'plus',
  },
  like: 'van',
  marks: [',', '.'],
  currencies: 'euro, euro s, dollar, pond',
  cents: 'cent, eurocent',
  half: 'en een half',
  beforeHour: { [-30]: 'half', 15: 'kwart over', [-15]: 'kwart voor' },
  afterHour: {},
  minutesFrom: { 1: 'over, minuten over', [-1]: 'voor, minuten voor' },
  clock: 'uur',
  am: 's ochtends, s morgens',
  pm: 's middags, s avonds',
  namedTimes: { '12:00': 'twaalf uur s middags', '0:00': 'middernacht' },
  fillers: 'eh, ehm',
  ordinary: 'al, de, en, er, ik, in, is, ja, je, me, na, nu, of, om, op, te, uw, we, ze, zo',
  endings: '',
}

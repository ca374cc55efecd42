import { icaoLetters, icaoNames, table, together } from './alphabet.ts'
import type { Language } from './language.ts'

export const french: Language = {
  numbers: table(`
    0 zéro; 2 deux; 3 trois; 4 quatre; 5 cinq; 6 six; 7 sept; 8 huit; 9 neuf; 10 dix; 11 onze; 12 douze; 13 treize;
    14 quatorze; 15 quinze; 16 seize; 17 dix sept; 18 dix huit; 19 dix neuf; 20 vingt; 30 trente; 40 quarante;
    50 cinquante; 60 soixante; 70 septante; 80 quatre vingt, quatre vingts, huitante, octante; 90 nonante
  `),
  scales: { 100: 'cent, cents', 1000: 'mille', 1000000: 'million, millions' },
  one: 'une',
  articleOne: 'un',
  ordinals: table(`
    3 troisième; 4 quatrième; 5 cinquième; 6 sixième; 7 septième; 8 huitième; 9 neuvième; 10 dixième; 20 vingtième
  `),
  and: 'et',
  andInTens: 'before one',
  wideTens: [60, 80],
  repeats: { 2: 'double', 3: 'triple' },
  letters: together(icaoLetters, `h hache; w double v, double vé; y i grec; z zède`),
  alphabets: together(
    icaoNames,
    `
    a anatole; b berthe; c célestin; d désiré; e eugène; f françois; g gaston; h henri; i irma; j joseph; k kléber;
    l louis; m marcel; n nicolas; p pierre; q quintal; r raoul; s suzanne; t thérèse; u ursule; w william; x xavier;
    y yvonne; z zoé
  `,
  ),
  homophones: {},
  signs: {
    '-': 'tiret, moins',
    '/': 'slash, barre oblique',
    _: 'tiret bas, underscore',
    '.': 'point',
    ',': 'virgule',
    '@': 'arobase, at',
    '+': 'plus',
  },
  like: 'comme',
  marks: [','],
  currencies: 'euro, euros, franc, francs, dollar, dollars',
  cents: 'centime, centimes',
  half: 'et demi, et demie',
  beforeHour: {},
  afterHour: { 30: 'et demie, et demi', 15: 'et quart', [-15]: 'moins le quart' },
  minutesFrom: {},
  clock: 'heure, heures, h',
  am: 'du matin',
  pm: 'de l après midi, du soir',
  namedTimes: { '12:00': 'midi', '0:00': 'minuit' },
  fillers: 'euh, heu',
  ordinary:
    'a, à, y, au, ça, ce, de, du, en, et, eu, il, je, la, le, ma, me, ne, ni, on, ou, où, qu, sa, se, si, su, ta, te, tu, un, va, vu',
  endings: '',
}

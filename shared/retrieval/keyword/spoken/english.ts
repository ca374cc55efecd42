import { icaoLetters, icaoNames, table, together } from './alphabet.ts'
import type { Language } from './language.ts'

export const english: Language = {
  numbers: table(`
    0 zero, naught, nought, nil; 1 one; 2 two; 3 three; 4 four; 5 five, fife; 6 six; 7 seven; 8 eight;
    9 nine, niner; 10 ten; 11 eleven; 12 twelve; 13 thirteen; 14 fourteen; 15 fifteen; 16 sixteen; 17 seventeen;
    18 eighteen; 19 nineteen; 20 twenty; 30 thirty; 40 forty, fourty; 50 fifty; 60 sixty; 70 seventy; 80 eighty;
    90 ninety
  `),
  unsureNumbers: { 0: 'oh, o' },
  scales: { 100: 'hundred', 1000: 'thousand', 1000000: 'million' },
  bareScales: true,
  one: 'a',
  ordinals: table(`
    1 first; 2 second; 3 third; 4 fourth; 5 fifth; 6 sixth; 7 seventh; 8 eighth; 9 ninth; 10 tenth; 11 eleventh;
    12 twelfth; 13 thirteenth; 14 fourteenth; 15 fifteenth; 16 sixteenth; 17 seventeenth; 18 eighteenth;
    19 nineteenth; 20 twentieth; 30 thirtieth; 40 fortieth; 50 fiftieth
  `),
  and: 'and',
  repeats: { 2: 'double', 3: 'triple, treble' },
  letters: together(
    icaoLetters,
    `
    d dee; h aitch, haitch; j jay; k kay; q cue; s ess; v vee; w double u, double you; z zed, zee
  `,
  ),
  alphabets: icaoNames,
  homophones: table(`
    a ay, eh; b be, bee; c see, sea; f eff; g gee; i eye; l el, ell; m em; n en; o oh; p pee, pea; q queue;
    r are, ar; t tea, tee; u you; x ex; y why, wye
  `),
  signs: {
    '-': 'dash, minus, hyphen',
    '/': 'slash, forward slash',
    _: 'underscore',
    '.': 'dot, point',
    '@': 'at, at sign',
    '+': 'plus',
  },
  like: 'for, as in, like',
  marks: ['.'],
  currencies: 'euro, euros, dollar, dollars, pound, pounds, franc, francs, bucks, quid',
  cents: 'cent, cents, pence, penny, p',
  half: 'and a half',
  beforeHour: { 30: 'half past, half', 15: 'quarter past, a quarter past', [-15]: 'quarter to, a quarter to' },
  afterHour: {},
  minutesFrom: { 1: 'past, minutes past', [-1]: 'to, minutes to' },
  clock: 'o clock, oclock',
  am: 'am, a m, in the morning',
  pm: 'pm, p m, in the afternoon, in the evening, at night',
  namedTimes: { '12:00': 'noon, midday', '0:00': 'midnight' },
  fillers: 'uh, um, uhm, erm, hm, hmm',
  ordinary:
    'a, i, o, am, an, as, at, be, by, do, go, ha, he, hi, if, in, is, it, ll, me, my, no, of, oh, ok, on, or, pm, re, so, to, up, us, ve, we, ' +
    'mr, mrs, ms, dr, st, nd, rd, th, vs, nr',
  endings: 's, t, d, m',
}

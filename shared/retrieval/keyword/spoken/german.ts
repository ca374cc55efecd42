import { icaoLetters, icaoNames, table, together } from './alphabet.ts'
import type { Language } from './language.ts'

const endings = ['e', 'en', 'er', 'es', 'em']
const inflected = (stems: Record<string, string>) =>
  Object.fromEntries(Object.entries(stems).map(([key, stem]) => [key, endings.map((end) => stem + end).join(', ')]))

export const german: Language = {
  numbers: table(`
    0 null; 1 eins; 2 zwei, zwo; 3 drei; 4 vier; 5 fünf; 6 sechs; 7 sieben; 8 acht; 9 neun; 10 zehn; 11 elf;
    12 zwölf; 13 dreizehn; 14 vierzehn; 15 fünfzehn; 16 sechzehn; 17 siebzehn; 18 achtzehn; 19 neunzehn; 20 zwanzig;
    30 dreißig; 40 vierzig; 50 fünfzig; 60 sechzig; 70 siebzig; 80 achtzig; 90 neunzig
  `),
  scales: { 100: 'hundert', 1000: 'tausend', 1000000: 'million, millionen' },
  bareScales: true,
  one: 'ein, eine, einen, einem, einer',
  ordinals: inflected(
    table(`
      1 erst; 2 zweit; 3 dritt; 4 viert; 5 fünft; 6 sechst; 7 siebt; 8 acht; 9 neunt; 10 zehnt; 11 elft; 12 zwölft;
      13 dreizehnt; 14 vierzehnt; 15 fünfzehnt; 16 sechzehnt; 17 siebzehnt; 18 achtzehnt; 19 neunzehnt;
      20 zwanzigst; 30 dreißigst; 40 vierzigst; 50 fünfzigst
    `),
  ),
  and: 'und',
  unitsFirst: true,
  compounds: true,
  repeats: { 2: 'doppel, doppelt, zweimal, zweimal die', 3: 'dreifach, dreimal, dreimal die' },
  letters: together(
    icaoLetters,
    `
    c ce, zeh; f ef; g ge; j jot; k ka; p pe; q ku; v vau; x ix, iks; y ypsilon; z zett, zet; ß eszett
  `,
  ),
  // DIN 5009: the first names of 1996 (and the older Samuel and Siegfried), then the towns of 2022.
  alphabets: together(
    icaoNames,
    `
    a anton, aachen; ä ärger, umlaut aachen; b berta, berlin; c cäsar, chemnitz; ch charlotte; d dora, düsseldorf;
    e emil, essen; f friedrich, frankfurt; g gustav, goslar; h heinrich, hamburg; i ida, ingelheim; j julius, jena;
    k kaufmann, konrad, köln; l ludwig, leipzig; m martha, münchen; n nordpol, nürnberg; o otto, offenbach;
    ö ökonom, umlaut offenbach; p paula, potsdam; q quelle, quickborn; r richard, rostock;
    s samuel, siegfried, salzwedel; sch schule; t theodor, tübingen; u ulrich, unna; ü übermut, umlaut unna;
    v viktor, völklingen; w wilhelm, wuppertal; x xanthippe, xanten; z zacharias, zeppelin, zwickau
  `,
  ),
  homophones: table(`
    a ah; b be; d de; e eh; h ha; l el; m em; n en; o oh; q kuh; r er; s es; t te, tee; u uh; w we, weh
  `),
  signs: {
    '-': 'minus, strich, bindestrich, dash',
    '/': 'schrägstrich, slash',
    _: 'unterstrich, underscore',
    '.': 'punkt, dot',
    ',': 'komma',
    '@': 'at, ät, et, klammeraffe, at zeichen',
    '+': 'plus',
  },
  like: 'wie',
  marks: [',', '.'],
  currencies: 'euro, euros, franken, dollar, pfund',
  cents: 'cent, cents, rappen',
  half: 'einhalb',
  beforeHour: { [-30]: 'halb', 15: 'viertel nach', [-15]: 'viertel vor, dreiviertel, drei viertel', [-45]: 'viertel' },
  afterHour: {},
  minutesFrom: { 1: 'nach, minuten nach', [-1]: 'vor, minuten vor' },
  clock: 'uhr',
  am: 'morgens, vormittags, früh',
  pm: 'nachmittags, abends, am nachmittag, am abend',
  namedTimes: { '0:00': 'mitternacht' },
  fillers: 'äh, ähm, öh, öhm, hm, hmm',
  ordinary: 'ab, am, an, da, du, er, es, et, ha, im, in, ja, je, nr, ob, so, tu, um, wo, zu, ne, na',
  endings: '',
}

import { icaoLetters, icaoNames, table, together } from './alphabet.ts'
import type { Language } from './language.ts'

export const italian: Language = {
  numbers: table(`
    0 zero; 2 le due, alle due; 3 tre, tré; 4 quattro; 5 cinque; 6 sei; 7 sette; 8 otto; 9 nove; 10 dieci; 11 undici;
    12 dodici; 13 tredici; 14 quattordici; 15 quindici; 16 sedici; 17 diciassette; 18 diciotto; 19 diciannove;
    20 venti, vent; 30 trenta, trent; 40 quaranta, quarant; 50 cinquanta, cinquant; 60 sessanta, sessant;
    70 settanta, settant; 80 ottanta, ottant; 90 novanta, novant
  `),
  unsureNumbers: { 2: 'due' },
  scales: { 100: 'cento', 1000: 'mille, mila', 1000000: 'milione, milioni' },
  bareScales: true,
  one: 'uno, un, una',
  articleOne: 'uno',
  compounds: true,
  ordinals: table(`
    1 primo, prima; 2 secondo, seconda; 3 terzo, terza; 4 quarta; 5 quinto, quinta; 6 sesto, sesta; 7 settimo, settima;
    8 ottavo, ottava; 9 nono, nona; 10 decimo, decima
  `),
  and: 'e',
  repeats: { 2: 'doppio, doppia', 3: 'triplo, tripla' },
  letters: together(icaoLetters, 'h acca; j i lunga; k cappa; q cu; w doppia vu, vu doppia; x ics; y ipsilon; z zeta'),
  alphabets: together(
    icaoNames,
    `
    a ancona; b bologna; c como; d domodossola; e empoli; f firenze; g genova; i imola; l livorno; m milano; n napoli;
    o otranto; p padova; q quarto; r roma; s savona; t torino; u udine; v venezia
  `,
  ),
  homophones: {},
  signs: {
    '-': 'trattino, meno',
    '/': 'barra',
    _: 'trattino basso, underscore',
    '.': 'punto',
    ',': 'virgola',
    '@': 'chiocciola',
    '+': 'più',
  },
  like: 'come, di',
  marks: [',', '.'],
  currencies: 'euro, dollaro, dollari, franco, franchi',
  cents: 'centesimo, centesimi',
  half: 'e mezzo, e mezza',
  beforeHour: {},
  afterHour: { 30: 'e mezza, e mezzo', 15: 'e un quarto', [-15]: 'meno un quarto' },
  minutesFrom: {},
  clock: 'ore',
  am: 'di mattina, del mattino, di notte',
  pm: 'di pomeriggio, del pomeriggio, di sera, della sera',
  namedTimes: { '12:00': 'mezzogiorno', '0:00': 'mezzanotte' },
  fillers: 'ehm, eh',
  ordinary: 'ad, ai, al, ci, da, di, ed, fa, fu, ha, ho, il, in, io, li, lo, mi, no, sì, te, ti, tu, vi',
  endings: '',
}

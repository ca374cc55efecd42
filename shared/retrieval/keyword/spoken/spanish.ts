import { icaoLetters, icaoNames, table, together } from './alphabet.ts'
import type { Language } from './language.ts'

export const spanish: Language = {
  numbers: table(`
    0 cero; 2 dos; 3 tres; 4 cuatro; 5 cinco; 6 seis; 7 siete; 8 ocho; 9 nueve; 10 diez; 11 las once; 12 doce; 13 trece;
    14 catorce; 15 quince; 16 dieciséis; 17 diecisiete; 18 dieciocho; 19 diecinueve; 20 veinte; 21 veintiuno, veintiún;
    22 veintidós; 23 veintitrés; 24 veinticuatro; 25 veinticinco; 26 veintiséis; 27 veintisiete; 28 veintiocho;
    29 veintinueve; 30 treinta; 40 cuarenta; 50 cincuenta; 60 sesenta; 70 setenta; 80 ochenta; 90 noventa; 100 cien, ciento;
    200 doscientos, doscientas; 300 trescientos, trescientas; 400 cuatrocientos, cuatrocientas; 500 quinientos, quinientas;
    600 seiscientos, seiscientas; 700 setecientos, setecientas; 800 ochocientos, ochocientas; 900 novecientos, novecientas
  `),
  unsureNumbers: { 11: 'once' },
  scales: { 1000: 'mil', 1000000: 'millón, millones' },
  bareScales: true,
  one: 'un, una',
  articleOne: 'uno',
  ordinals: table(`
    1 primero, primera, primer; 2 segundo, segunda; 3 tercero, tercera, tercer; 4 cuarta; 5 quinto, quinta;
    6 sexto, sexta; 7 séptimo, séptima; 8 octavo, octava; 9 noveno, novena; 10 décimo, décima
  `),
  and: 'y',
  andInTens: 'always',
  repeats: { 2: 'doble', 3: 'triple' },
  letters: together(
    icaoLetters,
    'h hache; j jota; ñ eñe; v uve; w uve doble, doble uve, doble ve; x equis; y i griega; z zeta',
  ),
  alphabets: icaoNames,
  homophones: {},
  signs: {
    '-': 'guion, menos',
    '/': 'barra',
    _: 'guion bajo',
    '.': 'punto',
    ',': 'coma',
    '@': 'arroba',
    '+': 'más',
  },
  like: 'como, de',
  marks: [',', '.'],
  currencies: 'euro, euros, dólar, dólares, peso, pesos',
  cents: 'céntimo, céntimos, centavo, centavos',
  half: 'y medio, y media',
  beforeHour: {},
  afterHour: { 30: 'y media', 15: 'y cuarto', [-15]: 'menos cuarto' },
  minutesFrom: {},
  clock: 'horas, h',
  am: 'de la mañana, de la madrugada',
  pm: 'de la tarde, de la noche',
  namedTimes: { '12:00': 'mediodía', '0:00': 'medianoche' },
  fillers: 'eh, em',
  ordinary: 'al, el, en, es, ha, he, le, lo, mi, no, os, te, tu, ya, yo',
  endings: '',
}

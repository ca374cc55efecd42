import { english } from '../keyword/spoken/english.ts'
import { german } from '../keyword/spoken/german.ts'

/** A language's spoken forms of abbreviations and signs. */
interface Spoken {
  code: 'en' | 'de'
  /** Words that are frequent in its texts and in no other language's. */
  marks: ReadonlySet<string>
  digits: string[]
  plus: string
  and: string
  to: string
  days: Record<string, string>
  abbreviations: Record<string, string>
}

const digitsOf = ({ numbers }: { numbers: Record<number, string> }) =>
  Array.from({ length: 10 }, (_, digit) => numbers[digit]!.split(', ')[0]!)
/** `key=value` by `;`. */
const pairs = (text: string) => Object.fromEntries(text.split(';').map((pair) => pair.trim().split('=')))
const words = (text: string) => new Set(text.split(' '))

const spoken: Spoken[] = [
  {
    code: 'en',
    marks: words(
      'the and of is are for with from we you your do does what how when where can much open closed per or pm',
    ),
    digits: digitsOf(english),
    plus: 'plus',
    and: 'and',
    to: 'to',
    days: pairs(
      'Mon=Monday;Tue=Tuesday;Tues=Tuesday;Wed=Wednesday;Thu=Thursday;Thur=Thursday;Thurs=Thursday;Fri=Friday;Sat=Saturday;Sun=Sunday',
    ),
    abbreviations: pairs(
      'e.g.=for example;i.e.=that is;etc.=et cetera;approx.=approximately;ca.=about;incl.=including;excl.=excluding;vs.=versus;p.p.=per person;hrs=hours;hrs.=hours;hr=hour;mins=minutes;min.=minutes;max.=maximum;tel.=telephone;no.=number;ext.=extension;dept.=department;appt.=appointment;ave.=Avenue;rd.=Road;yrs=years;pcs=pieces;w/o=without;w/=with',
    ),
  },
  {
    code: 'de',
    marks: words(
      'der die das und ist sind für mit von wir sie ein eine einen im am zu auf nicht bei was wie wann wo kann kostet uhr geöffnet geschlossen oder pro',
    ),
    digits: digitsOf(german),
    plus: 'plus',
    and: 'und',
    to: 'bis',
    days: pairs('Mo=Montag;Di=Dienstag;Mi=Mittwoch;Do=Donnerstag;Fr=Freitag;Sa=Samstag;So=Sonntag'),
    abbreviations: pairs(
      'z. B.=zum Beispiel;z.B.=zum Beispiel;d. h.=das heißt;d.h.=das heißt;u. a.=unter anderem;u.a.=unter anderem;v. a.=vor allem;v.a.=vor allem;i. d. R.=in der Regel;i.d.R.=in der Regel;p. P.=pro Person;p.P.=pro Person;usw.=und so weiter;etc.=et cetera;bzw.=beziehungsweise;ca.=circa;inkl.=inklusive;exkl.=exklusive;zzgl.=zuzüglich;abzgl.=abzüglich;ggf.=gegebenenfalls;evtl.=eventuell;vgl.=vergleiche;max.=maximal;mind.=mindestens;tel.=Telefon;nr.=Nummer;str.=Straße;std.=Stunden;min.=Minuten;tägl.=täglich;stk.=Stück;pers.=Personen;tgl.=täglich;mwst.=Mehrwertsteuer;art.-nr.=Artikelnummer',
    ),
  },
]

const anyOf = (texts: string[]) =>
  texts
    .toSorted((a, b) => b.length - a.length)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|')

/** A telephone number: of a country, an area, or in the three groups of North America. */
const phone =
  /(?<![\p{L}\d.,:/-])(?:(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}|(?:\+|\(?0)[\d ()/-]{5,20}\d)(?![\d\p{L}]|[.,:]\d)/gu
const date = /^\d{1,4}[-/ ]\d{1,2}[-/ ]\d{1,4}$/
const times = String.raw`(?:[£€$] ?)?\d{1,4}(?:[.:,]\d{1,2})?(?: ?(?:[ap]m|uhr|h|€|%))?`
const numberRange = new RegExp(String.raw`(?<![\p{L}\d.,/-])(${times}) ?[–—] ?(?=(?:[£€$] ?)?\d)`, 'giu')
const hyphenRange = /(?<![\p{L}\d.,:/-])(\d{1,2}(?:[.:]\d\d)?(?: ?[ap]m)?) ?- ?(?=\d{1,2}(?:[.:]\d\d)?(?![\d.,:/-]))/giu

const units = /^(?:hrs?|mins?|std|yrs|pcs|stk|pers)\.?$/i
const beforeNumbers = /^(?:no|nr|ext)\.$/i
/** Their stop may end a sentence, too. */
const lastWords = /^(?:etc|usw|hrs|p\.p)\.$/i

function speaker({ digits, plus, and, to, days, abbreviations }: Spoken): (text: string) => string {
  const lower = new Map(Object.entries(abbreviations).map(([short, long]) => [short.toLowerCase(), long]))
  const shortened = new RegExp(`(?<![\\p{L}\\d.])(?:${anyOf(Object.keys(abbreviations))})(?!\\p{L})`, 'giu')
  const day = `(?<!\\p{L})(?:${anyOf(Object.keys(days))})\\.?(?!\\p{L})`
  const severalDays = new RegExp(`${day}(?: ?(?:[-–—/,&+]|${to}|${and}) ?${day})+`, 'gu')
  const oneDay = new RegExp(`${day}(?= ?(?::|,? ?\\d|$))`, 'gmu')
  const anyDay = new RegExp(day, 'gu')
  const named = (text: string) => text.replaceAll(anyDay, (short) => days[short.replace('.', '')]!)
  const digitwise = (number: string) =>
    number
      .split(/[ ()/.-]+/)
      .filter(Boolean)
      .map((group) => [...group].map((each) => (each === '+' ? plus : digits[Number(each)]!)).join(' '))
      .join(', ')
  return (text) =>
    text
      .replaceAll(phone, (number) =>
        date.test(number) || number.replaceAll(/\D/g, '').length < 7 ? number : digitwise(number),
      )
      .replaceAll(severalDays, (list) =>
        named(list)
          .replaceAll(/ ?[-–—] ?/g, ` ${to} `)
          .replaceAll(/ ?[/&+] ?/g, ` ${and} `),
      )
      .replaceAll(oneDay, named)
      .replaceAll(shortened, (short, at: number, all: string) => {
        const [before, after] = [all.slice(0, at), all.slice(at + short.length)]
        if ((units.test(short) && !/\d ?$/.test(before)) || (beforeNumbers.test(short) && !/^ ?\d/.test(after)))
          return short
        return lower.get(short.toLowerCase())! + (lastWords.test(short) && /^ \p{Lu}/u.test(after) ? '.' : '')
      })
      .replaceAll(/(?<=\p{L})str\.(?= ?\d)/gu, 'straße')
      .replaceAll(numberRange, `$1 ${to} `)
      .replaceAll(hyphenRange, `$1 ${to} `)
      .replaceAll(/(?<=\p{L}{3})–(?=\p{Lu})/gu, ` ${to} `)
      .replaceAll(/ & /g, ` ${and} `)
}

/** Words of languages that have no spoken forms here. */
const otherMarks = words(
  'le la les des est et pour avec vous nous une sur ouvert el los las y es para con il gli di che een het van',
)
const shortEnd = new RegExp(
  `(?:(?<![\\p{L}\\d.])(?:${anyOf(spoken.flatMap(({ abbreviations }) => Object.keys(abbreviations)))})|\\p{L}str\\.)$`,
  'iu',
)
const endsMore = /(?:etc|usw|hrs|min)\.$/i

/** True if the text ends with an abbreviation that rarely ends a sentence. */
export function endsShort(text: string): boolean {
  return text.endsWith('.') && shortEnd.test(text.slice(-10)) && !endsMore.test(text)
}

const languages = [
  ...spoken.map((language) => ({ code: language.code, marks: language.marks, speak: speaker(language) })),
  { code: undefined, marks: otherMarks, speak: undefined },
]

/** The language of most words in the text, with its spoken forms; undefined if no word tells. */
export function languageOf(text: string): (typeof languages)[number] | undefined {
  // “9 am” is English, and “am” a word of German.
  const said =
    text
      .toLowerCase()
      .replaceAll(/(?<=\d ?)am(?!\p{L})/gu, 'pm')
      .match(/\p{L}+/gu) ?? []
  const counts = languages.map(({ marks }) => said.filter((word) => marks.has(word)).length)
  const most = Math.max(...counts)
  return most > 0 ? languages[counts.indexOf(most)] : undefined
}

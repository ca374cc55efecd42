import { amountKind } from '../../text/table-header.ts'
import type { HitTable } from './tables.ts'

/** The kinds of answers that questions ask for. */
export type AnswerKind = 'price' | 'time' | 'phone' | 'count' | 'who' | 'where' | 'day'

interface Kind {
  question: RegExp
  isCell(text: string): boolean
  header?: RegExp
  /** Columns with these headers have numbers of another kind. */
  notHeader?: RegExp
  /** A word with one of these concepts says only which kind is wanted. */
  concepts: readonly string[]
}

const names =
  'jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun mär mai okt dez montag dienstag mittwoch donnerstag freitag samstag sonntag daily täglich'
const calendarName = new RegExp(`(?<!\\p{L})(?:${names.split(' ').join('|')}|mo|di|mi|do|fr|sa|so)`, 'iu')

/** Whole words of a question in lower case. */
const asks = ({ source }: RegExp) => new RegExp(`(?<!\\p{L})(?:${source})(?!\\p{L})`, 'u')

const kinds: Record<AnswerKind, Kind> = {
  price: {
    question: asks(
      /how much|prices?|costs?|costing|fees?|fares?|charges?|charged|rates?|pay|expensive|set me back|deposit|rent|kostet|kosten|preise?|teuer|zahle|zahlt|zahlen|bezahlen|bezahle|gebühr(?:en)?|wie ?viel(?! uhr)|miete|kaution|combien|prix|coûte|tarifs?/,
    ),
    isCell: (text) =>
      /[€$£]|^\d{1,4}[.,]\d\d$|^(?:free|gratis|kostenlos|gratuit)/i.test(text) || amountKind(text) === 'price',
    header: /[€$£]|price|preis|fee\b|prix|cost|gebühr|kosten|tarif/i,
    concepts: ['#price', '#pay'],
  },
  time: {
    question: asks(
      /when|what time|hours|öffnungszeiten|wie ?viel uhr|how late|how early|how long|wann|uhrzeit|wie spät|wie früh|wie lange|quand|heure|opens?|opening|closes?|closing|shuts?|starts?|begins?|ends?|finish(?:es)?|geöffnet|geschlossen|öffnet|schließt|öffnen|schließen|offen|auf|zu|beginnt|endet|departs?|leaves?|arrives?|get in|fährt|ankunft|abfahrt/,
    ),
    isCell: (text) =>
      /\d[:h]\d\d|^\d{1,2} ?[–-] ?\d{1,2}$|\d ?(?:am|pm|uhr)\b|closed|geschlossen|\b(?:min|hour|day|week|tag|stunde|woche|werktag)/i.test(
        text,
      ),
    header: /duration|length|dauer|\btime\b|uhrzeit/i,
    notHeader: /\bages?\b|alter/i,
    concepts: ['#open', '#wait'],
  },
  phone: {
    question: asks(
      /phone|number|call|telephone|ring|dial|reach|extension|telefon|(?:telefon)?nummer|rufnummer|anrufen|durchwahl|erreichen?|numéro/,
    ),
    isCell: (text) => /(?:\d[ ()/-]{0,2}){6}/.test(text),
    concepts: ['#phone'],
  },
  count: {
    question: asks(
      /how (?:many|long(?! (?:did|do|does|will|are|can))|high|tall|far|big|heavy|wide|deep|old)|number of|wie (?:viele|lang|hoch|weit|gro(?:ß|ss)|schwer|breit|tief|alt)|combien de/,
    ),
    isCell: (text) => ['number', 'quantity'].includes(amountKind(text)),
    notHeader: /^(?:rank|pos|place|no|nr|number|round|grid|year|jahr|platz|#)\.?$/i,
    concepts: [],
  },
  who: {
    question: asks(/who|whom|whose|wer|wem|wen|qui/),
    isCell: (text) => /^\p{Lu}\S* \p{Lu}/u.test(text),
    header: /name|contact|teacher|doctor|driver|player|partner|leitung|lehrer|arzt|ärztin|kontakt/i,
    concepts: [],
  },
  where: {
    question: asks(/where|wo|woher|wohin|où/),
    isCell: () => false,
    header:
      /place|location|venue|city|town|country|stadium|address|room|platform|bin\b|aisle|shelf|regal|stop\b|\bort\b|standort|adresse|stadt|raum|haltestelle|lieu|adresse/i,
    concepts: ['#arrive'],
  },
  day: {
    question: asks(/(?:which|what) (?:days?|date)|when|wann|welche[mnr]? tag(?:en)?|quel jour/),
    isCell: (text) => /\b(?:19|20)\d\d\b|\d\. \p{L}/u.test(text) || calendarName.test(text),
    concepts: [],
  },
}

export function kindsIn(question: string): ReadonlySet<AnswerKind> {
  return new Set((Object.keys(kinds) as AnswerKind[]).filter((kind) => kinds[kind].question.test(question)))
}

/** True if most cells of the column are of one of the kinds, or its header says so. */
export function isOfKind(asked: ReadonlySet<AnswerKind>, { columns, rows }: HitTable, column: number): boolean {
  const cells = rows.map((row) => row.cells[column]!).filter(Boolean)
  const header = columns[column]!.join(' ')
  return [...asked].some((kind) => {
    const { isCell, header: names, notHeader } = kinds[kind]
    if (notHeader?.test(header)) return false
    return names?.test(header) || (cells.length > 0 && cells.filter(isCell).length * 2 >= cells.length)
  })
}

/** True if the word only says which kind of answer is wanted. */
export function asksKind({ concepts }: { concepts: ReadonlySet<string> }, asked: ReadonlySet<AnswerKind>): boolean {
  return [...asked].some((kind) => kinds[kind].concepts.some((concept) => concepts.has(concept)))
}

import { fold, stem } from '../../terms/word-forms.ts'
import { amountKind, isAmount } from '../../text/table-header.ts'
import type { PassageTable } from '../tables.ts'

/** The kinds of answers that questions ask for. */
export type AnswerKind = 'price' | 'time'

interface Kind {
  question: RegExp
  isCell(text: string): boolean
  header: RegExp
  /** Words that say only which kind is wanted. */
  words: string
}

/** Whole words of a question in lower case. */
const asks = ({ source }: RegExp) => new RegExp(`(?<!\\p{L})(?:${source})(?!\\p{L})`, 'u')

const kinds: Record<AnswerKind, Kind> = {
  price: {
    question: asks(
      /how much|prices?|costs?|costing|fees?|fares?|charges?|charged|rates?|pay|expensive|set me back|deposit|rent|kostet|kosten|preise?|teuer|zahle|zahlt|zahlen|bezahlen|bezahle|gebühr(?:en)?|wie ?viel(?! uhr)|miete|kaution|combien|prix|coûten?t?|tarifs?|cu[aá]nto (?:valen?|es)|cuestan?|precios?|quanto (?:costa|viene|vengono)|costano?|prezz[oi]|kost|prijs|prijzen/,
    ),
    isCell: (text) =>
      /[€$£]|^\d{1,4}[.,]\d\d$|^(?:free|gratis|kostenlos|gratuit)/i.test(text) || amountKind(text) === 'price',
    header: /[€$£]|price|preis|fee\b|prix|cost|gebühr|kosten|tarif/i,
    words:
      'price cost charge fee fare rate pay expensive come run much viel nehmen preis kosten kostet teuer cuanto cuesta cuestan vale valen precio precios quanto costa costano viene prezzo prezzi kost prijs prijzen zahle zahlt bezahlen prix coute combien',
  },
  time: {
    question: asks(
      /when|what time|what day and time|(?<!(?:\d|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|half|many) )hours|öffnungszeiten|wie ?viel uhr|how late|how early|how long|wann|uhrzeit|wie spät|wie früh|wie lange|quand|heure|opens?|opening|closes?|closing|shuts?|starts?|begins?|ends?|finish(?:es)?|geöffnet|geschlossen|öffnet|schließt|öffnen|schließen|offen|haben .{0,40} auf|hat .{0,40} auf|beginnt|endet|departs?|leaves?|arrives?|get in|fährt|ankunft|abfahrt|ouverte?s?|fermée?s?|horaires?|a qué hora|qué horario|abiert[oa]s?|abr[ei]s|abren|cerrad[oa]s?|cierran?|cerráis|a che ora|apert[aeio]|aprite|chius[aeio]|chiudete?|orari|hoe laat|geopend|gesloten|sluit(?:en)?|openingstijden/,
    ),
    isCell: (text) =>
      /\d[:h]\d\d|^\d{1,2}\.\d\d(?: ?[–-]|$)|^\d{1,2} ?[–-] ?\d{1,2}$|\d ?(?:am|pm|uhr)\b|closed|geschlossen|fermé|cerrado|chiuso|gesloten|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:min|hour|day|week|month|year|tag|stunde|woche|werktag|monat|jahr)/i.test(
        text,
      ),
    header: /duration|length|dauer|\btime\b|uhrzeit/i,
    words:
      'time hour open opening close closing shut start begin end finish late early until till when long take hat auf uhr uhrzeit geoffnet geschlossen offen offnen offnet schliesst offnungszeiten beginn beginnt endet lange dauert heure ouvert ouverts ferme fermez fermes hora horario hasta abierto abiertos abierta abris abren cerrado cerrados cierran cerrais ora orari fino che aperto aperti aperta aprite chiuso chiusi chiude chiudete uur geopend gesloten sluit sluiten dicht tot laat openingstijden',
  },
}

export function kindsIn(question: string): ReadonlySet<AnswerKind> {
  return new Set((Object.keys(kinds) as AnswerKind[]).filter((kind) => kinds[kind].question.test(question)))
}

/** Tells for each column whether most of its cells are of one of the kinds, or its header says so, and whether most are bare amounts. */
export function columnsOfKind(asked: ReadonlySet<AnswerKind>, { columns, rows }: PassageTable) {
  const most = (column: number, isMet: (text: string) => boolean) => {
    const cells = rows.map((row) => row.cells[column]!).filter((text) => /[\p{L}\d]/u.test(text))
    return cells.length > 0 && cells.filter(isMet).length * 2 >= cells.length
  }
  return columns.map((path, column) => ({
    isOfKind: [...asked].some((kind) => kinds[kind].header.test(path.join(' ')) || most(column, kinds[kind].isCell)),
    isExtra: extras.test(path.join(' ')),
    isAmount: asked.has('price') && !counts.test(path.join(' ')) && most(column, isAmount),
  }))
}

/** Headers of amounts besides the price: only a question that names them asks for them. */
const extras =
  /deposit|kaution|surcharge|supplement|zuschlag|aufpreis|late|cancel|storno|member|mitglied|discount|rabatt|caution/i
/** Headers above bare numbers that are no prices. */
const counts =
  /\b(?:seats?|sleeps?|people|persons?|guests?|pieces?|packs?|max|min|ages?|sizes?|qty|quantity|number|no|stück|plätze|personen|anzahl|alter|größe)\b/i

const wordsOfKinds = new Map(
  Object.entries(kinds).map(([kind, { words }]) => [kind, new Set(words.split(' ').map((word) => stem(fold(word))))]),
)

/** True if the word only says which of the kinds is wanted. */
export function saysKind(stemmed: string, asked: ReadonlySet<AnswerKind>): boolean {
  return [...asked].some((kind) => wordsOfKinds.get(kind)!.has(stemmed))
}

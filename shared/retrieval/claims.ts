import { stopWords } from '../terms/stop-words.ts'
import { fold, stem } from '../terms/word-forms.ts'
import { wordsOf } from '../terms/words.ts'
import { normalForm } from '../text/normal-form.ts'
import { amountKind } from '../text/table-header.ts'
import { sentencesOf } from './speech/sentences.ts'
import { tableAt } from './tables.ts'
import { type Amounts, amountsIn, currencyOf, saysPrice } from './value/amounts.ts'

/** A price or times of day that a cell of a table or a sentence gives to a thing. */
export interface Claim extends Pick<Amounts, 'kind' | 'amounts' | 'currency'> {
  /** The sorted stems of the words that name the thing, with units such as “per hour”. */
  names: string
  text: string
}

interface Passage {
  content: string
  document_title?: string
  metadata: { headings?: unknown }
}

const maxCharacters = 32_768
const maxTextCharacters = 300
const maxAmounts = 4
/** No other text names a thing by more words. */
const maxNames = 12

const stemsOf = (words: string) => words.split(' ').map((word) => stem(fold(word)))
const general = stemsOf('per pro je only just nur seulement always usually currently approx ca incl inkl ab')
/** Words that only say the kind. */
const kindWords = {
  price: new Set([
    ...general,
    ...stemsOf(
      'price pricing cost fee charge amount total rate start starting preis kosten kostet gebühr beträgt betragen',
    ),
    ...stemsOf('prix coûte coûtent tarif dès usd eur gbp chf dollar euro franken'),
  ]),
  time: new Set([
    ...general,
    ...stemsOf(
      'hour time between until till am pm zeit uhrzeit öffnungszeit öffnungszeiten uhr zwischen heure horaire entre',
    ),
  ]),
}
const opening = new Set(stemsOf('open opens opened opening öffnet öffnen geöffnet offen ouvre ouvert ouverture'))
const closing = new Set(stemsOf('close closes closed closing schließt schließen geschlossen ferme fermé fermeture'))

/** The claims of a passage, without those that contradict each other. */
export function claimsIn({ content, document_title = '', metadata: { headings } }: Passage): Claim[] {
  const lines = normalForm(content.slice(0, maxCharacters)).split('\n')
  const outer = [document_title, ...(Array.isArray(headings) ? headings : [])]
  const claims: Claim[] = []
  const prose: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const table = lines[at]!.includes('|') ? tableAt(lines, at) : undefined
    if (table) {
      const above = prose.findLast((line) => line.trim()) ?? ''
      claims.push(...claimsOfTable(table, [...outer, above].join(' · ')))
      at = table.end - 1
    }
    prose.push(table ? '' : lines[at]!)
  }
  if (prose.some((line) => /\d/.test(line))) claims.push(...sentencesOf(prose.join('\n')).flatMap(claimOfSentence))
  return agreeing(claims)
}

/** Leaves out repeats, and claims of the same names that contradict each other. */
export function agreeing<C extends Claim>(claims: readonly C[]): C[] {
  const groups = Map.groupBy(claims, ({ names, kind, amounts }) => `${kind} ${amounts.length} ${names}`)
  return [...groups.values()].flatMap(([first, ...others]) =>
    others.every(({ amounts }) => `${amounts}` === `${first!.amounts}`) ? [first!] : [],
  )
}

function claimsOfTable({ columns, rows }: NonNullable<ReturnType<typeof tableAt>>, context: string): Claim[] {
  const priced = columns.map((path) => saysPrice(path.join(' ')))
  const isPriceList = !priced.includes(true) && saysPrice(context)
  return rows.flatMap(({ path, cells }) =>
    cells.flatMap((cell, column) => {
      if (column === 0 || !/\d/.test(cell)) return []
      const header = columns[column]!.join(', ')
      const isPrice = (priced[column] || isPriceList || saysPrice(path.join(' '))) && amountKind(cell) !== 'text'
      const found = amountsIn(cell, isPrice ? currencyOf(`${header} ${context}`) : undefined)
      const said = [...path, header].filter(Boolean).join(', ')
      return toClaim(found, `${said} ${found?.rest}`, `${said}: ${cell}`)
    }),
  )
}

function claimOfSentence(sentence: string): Claim[] {
  if (!/\d/.test(sentence) || sentence.length > maxTextCharacters) return []
  const found = amountsIn(sentence)
  return found?.count === 1 ? toClaim(found, found.rest, sentence) : []
}

function toClaim(found: Amounts | undefined, named: string, text: string): Claim[] {
  if (!found || found.amounts.length > maxAmounts) return []
  const { kind, amounts, currency } = found
  const stems = wordsOf(named.replaceAll(/(?<=\p{L})['’]s(?!\p{L})/gu, '')).flatMap(({ text }) => {
    const word = fold(text)
    const own = stem(word)
    if (stopWords.has(word) || kindWords[kind].has(own)) return []
    const side = kind === 'price' ? undefined : opening.has(own) ? 'open' : closing.has(own) ? 'close' : undefined
    // A single time is of the one or the other.
    return side ? (amounts.length > 1 ? [] : side) : own
  })
  const names = [...new Set(stems)].sort()
  if (names.length > maxNames || names.every((name) => /^(?:open|close|\p{N}+)$/u.test(name))) return []
  return [{ names: names.join(' '), kind, amounts, currency, text: text.slice(0, maxTextCharacters).toWellFormed() }]
}

import { groupBy } from '../built-ins.ts'
import { stopWords } from '../terms/stop-words.ts'
import { fold, stem } from '../terms/word-forms.ts'
import { wordsOf } from '../terms/words.ts'
import { normalForm } from '../text/normal-form.ts'
import { amountKind } from '../text/table-header.ts'
import { amountsIn, isMoney } from './quantities.ts'
import type { Hit } from './schemas.ts'
import { sentencesOf } from './speech/sentences.ts'
import { headsOf, tableAt } from './tables.ts'

/** A price or times of day that a cell of a table or a sentence gives to a thing. */
export interface Claim {
  kind: 'price' | 'time'
  /** Numbers, of times the minutes since midnight: one, or the ends of each range. */
  amounts: string[]
  /** The price's currency; '' if the text does not say it, or for times. */
  currency: string
  /** The sorted stems of the words that name the thing, with units such as “per hour”. */
  names: string
  text: string
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

/** The claims of a passage, without those that contradict each other. @param isSought false for rows, with their header, and sentences to leave out */
export function claimsIn(
  passage: Pick<Hit, 'content' | 'document_title' | 'metadata'>,
  isSought: (text: string) => boolean = () => true,
): Claim[] {
  const lines = normalForm(passage.content.slice(0, maxCharacters)).split('\n')
  const outer = headsOf(passage)
  const claims: Claim[] = []
  const prose: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const table = lines[at]!.includes('|') ? tableAt(lines, at) : undefined
    if (table) {
      const above = prose.findLast((line) => line.trim()) ?? ''
      claims.push(...claimsOfTable(table, [...outer, above].join(' · '), isSought))
      at = table.end - 1
    }
    prose.push(table ? '' : lines[at]!)
  }
  if (prose.some((line) => /\d/.test(line)))
    claims.push(...sentencesOf(prose.join('\n')).filter(isSought).flatMap(claimOfSentence))
  return agreeing(claims)
}

/** True if two claims of one name contradict each other: as many amounts of one kind and one currency, or an unsaid one, that differ. */
export function contradict(one: Claim, other: Claim): boolean {
  const isOneCurrency = one.currency === other.currency || one.currency === '' || other.currency === ''
  return keyOf(one) === keyOf(other) && isOneCurrency && `${one.amounts}` !== `${other.amounts}`
}

/** The same for claims that can be compared. */
export function keyOf({ names, kind, amounts }: Claim): string {
  return `${kind} ${amounts.length} ${names}`
}

/** Leaves out repeats, and claims of the same names that contradict each other. */
export function agreeing<C extends Claim>(claims: readonly C[]): C[] {
  const groups = groupBy(claims, keyOf)
  return [...groups.values()].flatMap(([first, ...others]) =>
    others.every(({ amounts }) => `${amounts}` === `${first!.amounts}`) ? [first!] : [],
  )
}

const priceWord =
  /(?<!\p{L})(?:prices?|pricing|costs?|fees?|rates?|preise?|preisliste|kosten|gebühr(?:en)?|prix|tarife?|tarifs|usd|eur|gbp|chf)(?!\p{L})|[€£$]/iu

function claimsOfTable(
  { columns, rows }: NonNullable<ReturnType<typeof tableAt>>,
  context: string,
  isSought: (text: string) => boolean,
): Claim[] {
  const header = columns.flat().join(' ')
  const priced = columns.map((path) => priceWord.test(path.join(' ')))
  const isPriceList = !priced.includes(true) && priceWord.test(context)
  const sought = rows.filter(({ path, cells }) => isSought([header, ...path, ...cells].join(' ')))
  return sought.flatMap(({ path, cells }) =>
    cells.flatMap((cell, column) => {
      if (column === 0 || !/\d/.test(cell)) return []
      const said = [...path, columns[column]!.join(', ')].filter(Boolean).join(', ')
      const isPrice = priced[column] || isPriceList || priceWord.test(path.join(' '))
      return toClaim(cell, { named: said, text: `${said}: ${cell}`, isPrice: isPrice && amountKind(cell) !== 'text' })
    }),
  )
}

function claimOfSentence(text: string): Claim[] {
  if (!/\d/.test(text) || text.length > maxTextCharacters) return []
  return toClaim(text, { named: '', text, isPrice: false, isSingle: true })
}

interface Said {
  /** The words that name the thing, besides those around the amounts. */
  named: string
  text: string
  /** True if bare numbers are prices. */
  isPrice: boolean
  /** True if only a single amount, or a single range, makes a claim. */
  isSingle?: boolean
}

function toClaim(cell: string, { named, text, isPrice, isSingle }: Said): Claim[] {
  const all = amountsIn(cell)
  const prices = all.filter(({ range }) => isMoney(range) || (isPrice && range.kind === 'number' && !range.unit))
  const found = prices.length > 0 ? prices : all.filter(({ range }) => range.kind === 'time')
  const hasBoth = prices.length > 0 && all.some(({ range }) => range.kind === 'time')
  if (found.length === 0 || hasBoth || (isSingle && found.length > 1)) return []
  const kind = prices.length > 0 ? 'price' : 'time'
  const amounts = found.flatMap(({ range: { low, high } }) => (low === high ? [low] : [low, high]).map(String))
  if (amounts.length > maxAmounts) return []
  const currency = found.find(({ range }) => isMoney(range))?.range.unit ?? ''
  const rest = found.reduceRight((rest, { start, end }) => `${rest.slice(0, start)} ${rest.slice(end)}`, cell)
  const stems = wordsOf(`${named} ${rest}`.replaceAll(/(?<=\p{L})['’]s(?!\p{L})/gu, '')).flatMap(({ text }) => {
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

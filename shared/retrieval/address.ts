import { addressIn, addressTerm } from '../terms/addresses.ts'
import { isFiller } from '../terms/fillers.ts'
import { keyOf } from '../terms/terms.ts'
import { fold, stem } from '../terms/word-forms.ts'
import { wordsOf } from '../terms/words.ts'
import { normalForm } from '../text/normal-form.ts'
import { commonWords } from './keyword/common-words.ts'
import { codeWeight } from './keyword/keyword-query.ts'
import type { SoughtTerm } from './keyword/weights.ts'
import type { Hit } from './schemas.ts'
import { sentencesOf } from './speech/sentences.ts'
import { headsOf } from './tables.ts'
import { formsIn } from './value/reading.ts'

/** The ways in which callers ask where a business is. */
const asked = new RegExp(
  [
    "where(?:abouts)?(?: exactly)? (?:are|r) (?:you|u|y'?all)",
    "where (?:you|u|y'?all)(?: guys)? (?:are|r)",
    "where(?:'s|s| is| exactly is)(?: exactly)? (?:the|your|this) ",
    '(?:where|how)(?: exactly)? (?:can|could|do|would|will) (?:i|we|one) (?:find|get|come|drive)',
    '(?:trying|want|like) to find (?:you|the|your)',
    'how to (?:get|find)',
    '(?:what|which) (?:street|road|town|city|area|part of town)',
    '(?<!mail |web |ip |my |new |home |other |delivery |billing )address',
    'directions',
    'wo(?: genau)? (?:seid|sind|sitzt|sitzen|liegt|liegen|ist|finde|finden|findet)',
    '(?<!mail-|mail |web)(?:adresse|anschrift)',
    'wie (?:komme|kommt|komm|kommen|finde|finden) (?:ich|wir|man)',
    '(?:welche|in welcher) (?:straße|strasse)',
    'où (?:êtes|se trouve|est|puis-je vous trouver)',
    'comment (?:venir|aller|arriver)',
    'd[oó]nde (?:est[aá]n?|est[aá]is|queda|se encuentra)',
    'direcci[oó]n',
    'dove (?:siete|si trova|[eè]|vi trovate|vi trovo)',
    'indirizzo',
    'waar (?:zijn|zitten|is|vind)',
    '(?<!mail)adres',
  ]
    .map((way) => `(?<!\\p{L})${way}`)
    .join('|'),
  'u',
)
/** Words of such a question besides fillers. Any other word asks for something else, such as the parking. */
const placeWords = new Set(
  `located location based address addresses shop store office practice surgery clinic restaurant salon studio place building business branch garage cafe bar pub hotel company premises street road town city area direction sat nav satnav gps map maps google exactly whereabouts drive
  laden geschaft praxis restaurant lokal buro filiale werkstatt betrieb firma haus strasse ort adresse anschrift navi genau brauchte euch ihnen
  magasin boutique cabinet salon rue adresse tienda local direccion calle donde queda encuentra negozio ristorante indirizzo via dove trova trovate trovo winkel zaak adres straat waar zitten vind`
    .split(/\s+/)
    .map((word) => stem(fold(word))),
)

/** True if a caller asks where the business is, and nothing else. */
export function asksAddress(question: string): boolean {
  const said = normalForm(question).toLowerCase()
  if (!asked.test(said)) return false
  return wordsOf(said).every(({ text }) => {
    const word = fold(text)
    const stemmed = stem(word)
    return isFiller(word) || commonWords.has(stemmed) || placeWords.has(stemmed)
  })
}

/** What such a question seeks: passages that say where something is. Its own words are in passages about anything. */
export const soughtAddress: readonly SoughtTerm[] = [
  { group: 0, way: 0, key: keyOf(addressTerm), weight: codeWeight, isFallback: false, isRequired: true },
]

const ofBusiness =
  /(?<!\p{L})(?:we(?:['’]re| are)|find us|our (?:address|shop|store|office)|is at|is on|wir|uns|unsere?|nous|estamos|siamo|wij)(?!\p{L})/iu
const ofPlaces =
  /address|location|contact|find|getting here|direction|where|hours|opening|adresse|anschrift|kontakt|anfahrt|standort|öffnungs|horaire|horario|orari/i
/** Sentences that may have an address of something else. */
const ofOthers =
  /park(?:ing|platz|haus)|(?:car|bike) ?park|garage at|\blot\b|\bbus(?:es)?\b|\btrain\b|station\b|\bstop\b|head office|deliver|emergency|hospital|clinic at|closed|tiefgarage|haltestelle|bahnhof|notdienst/i

type Place = Pick<Hit, 'document_title' | 'content' | 'metadata' | 'chunk_id' | 'document_id'>

/** The hits that say where the business is, the clearest first; then the others in their order. `address`: `said` if any does. */
export function addressFirst<Found extends Place>(hits: readonly Found[], agentName: string) {
  const business = formsIn(agentName)
  const grades = new Map(hits.map((hit) => [hit, gradeOf(hit, business)]))
  const address = hits.some((hit) => grades.get(hit)! > 0) ? ('said' as const) : ('missing' as const)
  return { hits: hits.toSorted((a, b) => grades.get(b)! - grades.get(a)!), address }
}

/** 0 if no sentence says where the business is. */
function gradeOf(hit: Place, business: ReadonlySet<string>): number {
  const heading = headsOf(hit).join(' ')
  const grades = sentencesOf(hit.content).map((sentence) => {
    const exact = addressIn(sentence)
    const isOwn = ofBusiness.test(sentence) || [...formsIn(sentence)].some((form) => business.has(form))
    if (exact === 0 || (!isOwn && ofOthers.test(sentence))) return 0
    return exact + (isOwn ? 2 : 0) + (ofPlaces.test(heading) ? 1 : 0)
  })
  return Math.max(0, ...grades)
}

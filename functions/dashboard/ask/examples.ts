import { sql } from 'kysely'
import { columnsOf } from '../../../shared/database/columns.ts'
import type { Database } from '../../../shared/database/database.ts'
import { type AgentScope, isOfAgent } from '../../../shared/database/scope.ts'
import { isServed, isValidNow } from '../../../shared/documents/processing/served-chunks.ts'
import { languageOf } from '../../../shared/retrieval/speech/languages.ts'
import { tablesIn } from '../../../shared/retrieval/tables.ts'

const maxExamples = 3
const d = columnsOf('documents', 'd')

interface Chunk {
  title: string
  content: string
  metadata: Record<string, unknown>
}

/** The wordings of questions about a price and about a subject. */
const wordings = {
  en: {
    price: (row: string, column: string) => {
      const one = `${/^(?:[aeiou]|hour)/i.test(column) ? 'an' : 'a'} ${column.toLowerCase()}`
      if (isSpan.test(column)) return `How much is the ${row} for ${one}?`
      return isWord.test(column)
        ? `How much is ${one} ${row}?`
        : `How much is the ${[row, column].filter(Boolean).join(', ')}?`
    },
    subject: (subject: string) => `What can you tell me about ${inSentence(subject)}?`,
  },
  de: {
    price: (row: string, column: string) =>
      `Was kostet ${[row, /^(?:klein|mittel|groß)/i.test(column) ? column.toLowerCase() : column].filter(Boolean).join(', ')}?`,
    subject: (subject: string) => `Was können Sie mir über ${subject} sagen?`,
  },
}

const isPrice = /(?:[£€$]|\b(?:EUR|USD|GBP|CHF)) ?\d|\d ?(?:[£€$]|(?:EUR|CHF|Euro)\b)/i
const ofPrices = /pri[cx]e?|cost|rate|fee|amount|charge|preis|kosten|gebühr|betrag|tarif|[£€$]|\beur/i
const isSpan = /^(?:hour|day|night|week|month|year)$/i
const isWord = /^\p{L}+$/u
const isName = /^\p{L}[\p{L}\p{M} ’'&-]{1,40}$/u
const isBesides = /deposit|kaution|pfand|tax|vat|steuer/i
const isSubject = /^\p{Lu}[\p{L}\p{M}’'-]+(?: [\p{L}\p{M}&’'-]+){0,4}$/u
const saysNothing =
  /^(?:about(?: us)?|contents?|document|faq|home|index|introduction|menu|overview|page|prices?|text|untitled|welcome|einleitung|inhalt|preise|seite|startseite|übersicht|über uns|willkommen)$/i

/** Makes example questions from the newest served documents. Undefined if no document is served. */
export async function findExamples(db: Database, scope: AgentScope): Promise<string[] | undefined> {
  const { rows } = await sql<Chunk>`
    select d.title, left(c.content, 4000) as content, c.metadata from (
      select * from documents d where ${isOfAgent(scope)} and ${d.active_revision} is not null
        and ${isValidNow} order by ${d.created_at} desc, ${d.id} desc limit 8) d
    cross join lateral (
      select c.content, c.metadata, c.chunk_index from chunks c
      where c.organization_id = ${scope.organizationId} and c.document_id = d.id and ${isServed}
      order by c.chunk_index limit 2) c
    order by d.created_at desc, d.id desc, c.chunk_index`.execute(db)
  return rows.length > 0 ? examplesOf(rows) : undefined
}

/** A price first, then subjects. */
export function examplesOf(chunks: readonly Chunk[]): string[] {
  const textOf = ({ title, content }: Chunk) => `${title} ${content}`
  const usual = languageOf(chunks.map(textOf).join(' '))?.code ?? 'en'
  const found = chunks.map((chunk) => {
    const { price, subject } = wordings[languageOf(textOf(chunk))?.code ?? usual]
    return {
      prices: pricedIn(chunk).map(([row, column]) => price(row, column)),
      subjects: subjectsIn(chunk).map((each) => (each.endsWith('?') ? each : subject(each))),
    }
  })
  const prices = found.flatMap((each) => each.prices)
  const subjects = found.flatMap((each) => each.subjects)
  return [...new Set([...prices.slice(0, 1), ...subjects.slice(0, 2), ...prices, ...subjects])].slice(0, maxExamples)
}

/** Finds one priced row in each table, with the price's column. The column is '' if its name only says that it has prices. */
function pricedIn({ title, ...chunk }: Chunk): [row: string, column: string][] {
  return tablesIn({ chunk_id: '', document_title: title, ...chunk }).flatMap(({ columns, rows }) => {
    const names = columns.map((path) => path.at(-1) ?? '')
    for (const { cells } of rows) {
      const row = cells.find((text) => isName.test(text))
      const at = cells.findLastIndex((text, column) => isPrice.test(text) && !isBesides.test(names[column]!))
      if (row && at > 0) return [[row, ofPrices.test(names[at]!) ? '' : names[at]!] as [string, string]]
    }
    return []
  })
}

/** The last heading of a chunk, or its document's title, that reads as a subject or a question. */
function subjectsIn({ title, content, metadata: { headings } }: Chunk): string[] {
  const own = [...content.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => heading!)
  const outer = Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : []
  const subjects = [title, ...outer, ...own].map((each) => each.trim())
  const found = subjects.findLast(
    (each) => (isSubject.test(each) && !saysNothing.test(each)) || /^.{8,80}\?$/.test(each),
  )
  return found ? [found] : []
}

/** Gives “Opening hours” a small letter within a sentence; a name keeps its capital. */
function inSentence(subject: string): string {
  const [first, ...others] = subject.split(' ')
  const isName = others.length === 0 || others.some((word) => /^\p{Lu}/u.test(word))
  return isName ? subject : [first!.toLowerCase(), ...others].join(' ')
}

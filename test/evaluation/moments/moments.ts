import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SearchAnswer } from '../ask.ts'
import { type Business, readDocuments } from '../labelled-set.ts'
import { type Half, isFirst, requirePassage, type ShopFigures, verdictOf } from '../shops/shops.ts'
import type { openStand } from '../stand.ts'

interface MomentQuestion {
  id: string
  kind: string
  question: string
  history?: string[]
  /** The moment of the call. */
  as_of: string
  /** The days that the question names, in the shop's time zone. */
  dates: { from: string; to: string }[]
  document: string
  words: string
  value: { text: string; row: string; column: string } | null
}

interface Asked extends MomentQuestion {
  answer: SearchAnswer
}

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

/** Asks the questions of each shop of a half at their moments. */
export async function askMoments(stand: Awaited<ReturnType<typeof openStand>>, half: Half): Promise<Asked[]> {
  const folder = join(import.meta.dirname, half)
  const asked: Asked[] = []
  for (const file of globSync('*/questions.json', { cwd: folder }).sort()) {
    const name = dirname(file)
    const validity = join(folder, name, 'documents.json')
    const validities = existsSync(validity) ? readJson(validity) : {}
    const documents: Business['documents'] = readDocuments(join(folder, name)).map((each) => ({
      ...each,
      ...validities[each.title],
    }))
    const questions: MomentQuestion[] = readJson(join(folder, file))
    for (const { id, document, words } of questions) requirePassage(`${name}, ${id}`, documents, document, words)
    const search = await stand.ingest({
      name,
      documents,
      questions: [],
      place: readJson(join(folder, name, 'place.json')),
    })
    for (const each of questions) {
      const { question: query, history, as_of } = each
      const request = {
        query,
        mode: 'hybrid',
        limit: 5,
        deadline_ms: 10_000,
        as_of,
        ...(history && { history }),
      } as const
      asked.push({ ...each, answer: await search(request) })
    }
  }
  return asked
}

const isSpecial = ({ kind }: Asked) => !['ordinary', 'undated', 'night'].includes(kind)
const daysIn = (dates: MomentQuestion['dates']) => dates.map(({ from, to }) => `${from} ${to}`).join()
const areDatesRight = ({ dates, answer }: Asked) => daysIn(dates) === daysIn(answer.dates)

export function momentFigures(asked: readonly Asked[]): ShopFigures {
  const share = (of: readonly Asked[], isMet: (each: Asked) => boolean) =>
    Number((of.filter(isMet).length / of.length).toFixed(4))
  const dated = asked.filter(({ kind }) => kind !== 'undated')
  return {
    'right passage first, of questions with a day': share(dated, isFirst),
    'right passage first, of others': share(
      asked.filter(({ kind }) => kind === 'undated'),
      isFirst,
    ),
    'special days without a value of an ordinary one': share(
      asked.filter(isSpecial),
      (each) => verdictOf(each) !== 'wrong',
    ),
    'questions without a wrong value': share(asked, (each) => verdictOf(each) !== 'wrong'),
    'cells that are the whole answer, with the value': share(
      asked.filter(({ value }) => value),
      (each) => verdictOf(each) === 'right',
    ),
    'right dates': share(asked, areDatesRight),
  }
}

/** The figures, then the share of right first passages by kind, and by shop. */
export function momentText(half: Half, asked: readonly Asked[]): string {
  const figures = Object.entries(momentFigures(asked)).map(([name, share]) => `  ${name}: ${share.toFixed(2)}`)
  const firstBy = (keyOf: (each: Asked) => string) =>
    [...Map.groupBy(asked, keyOf)].map(([key, of]) => `  ${key}: ${of.filter(isFirst).length} of ${of.length} first`)
  const byShop = firstBy(({ id }) => id.replace(/-\d+$/, ''))
  return [`Moments to ${half}, ${asked.length} questions`, ...figures, ...firstBy(({ kind }) => kind), ...byShop].join(
    '\n',
  )
}

/** Each question whose first passage, value or days are wrong. */
export function momentFailures(asked: readonly Asked[]): string {
  return asked
    .flatMap((each) => {
      const { id, kind, as_of, history = [], question, document, words, value, answer } = each
      const faults = [
        !isFirst(each) &&
          `first is ${answer.data[0]?.document_title}: ${answer.data[0]?.content.slice(0, 100).replaceAll('\n', ' ')}; right: ${document}: ${words.slice(0, 100)}`,
        verdictOf(each) === 'wrong' &&
          `says ${[...answer.value!.row, ...answer.value!.column, answer.value!.text].join(' / ')}`,
        value && verdictOf(each) === 'none' && `no value, ${value.text} is right`,
        !areDatesRight(each) && `dates ${JSON.stringify(answer.dates)} instead of ${JSON.stringify(each.dates)}`,
      ].filter(Boolean)
      const call = [...history, question].join(' → ')
      return faults.length > 0 ? [`${id} (${kind}, ${as_of}): ${call}\n    ${faults.join('\n    ')}`] : []
    })
    .join('\n')
}

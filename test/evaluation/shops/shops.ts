import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandError } from '../../../infra/command-line/command-error.ts'
import { normalized, rankOf, type SearchAnswer } from '../ask.ts'
import { readDocuments } from '../labelled-set.ts'
import type { openStand } from '../stand.ts'

/** `tune`: shops to tune on. `judge`: shops that only judge: nobody looks at their questions to change the code. */
export const halves = ['tune', 'judge'] as const
export type Half = (typeof halves)[number]

interface ShopQuestion {
  id: string
  kind: string
  question: string
  /** The caller's earlier turns, oldest first. */
  history?: string[]
  /** Title and words of the passage that answers; null where none does. */
  document: string | null
  words: string | null
  answerable: boolean
  /** The cell that is the whole answer; null where none is. */
  value: { text: string; row: string; column: string } | null
}

interface Asked extends ShopQuestion {
  answer: SearchAnswer
}

/** Shares, each the better the higher. */
export type ShopFigures = Record<string, number>

const deleted = 'deleted'

/**
 * Asks the questions of each shop of a half, whose documents are an agent's. Then asks each question again of an agent that lacks the
 * document with the answer; these have the kind `deleted`.
 */
export async function askShops(stand: Awaited<ReturnType<typeof openStand>>, half: Half): Promise<Asked[]> {
  const folder = join(import.meta.dirname, half)
  const asked: Asked[] = []
  for (const file of globSync('*/questions.json', { cwd: folder }).sort()) {
    const name = dirname(file)
    const documents = readDocuments(join(folder, name))
    const questions: ShopQuestion[] = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    for (const { id, document, words } of questions) requirePassage(`${name}, ${id}`, documents, document, words)
    const ask = async (documents: Documents, questions: readonly ShopQuestion[]) => {
      const search = await stand.ingest({ name, documents, questions: [] })
      for (const each of questions) {
        const { question: query, history } = each
        const request = { query, mode: 'hybrid', limit: 5, deadline_ms: 10_000, ...(history && { history }) } as const
        asked.push({ ...each, answer: await search(request) })
      }
    }
    await ask(documents, questions)
    for (const document of documents) {
      const left = questions.filter((each) => each.document === document.title)
      const without = left.map((each) => ({ ...each, ...unanswered, id: `${each.id} without “${document.title}”` }))
      const others = documents.filter((each) => each !== document)
      if (left.length > 0) await ask(others, without)
    }
  }
  return asked
}

const unanswered = { kind: deleted, document: null, words: null, answerable: false, value: null }

export function requirePassage(place: string, documents: Documents, title: string | null, words: string | null): void {
  const document = documents.find((each) => each.title === title)
  if (title !== null && !document?.content.includes(words ?? ''))
    throw new CommandError(`${place}: “${title}” does not have the words “${words}”`)
}
type Documents = ReturnType<typeof readDocuments>

type Verdict = 'right' | 'wrong' | 'none'

export function verdictOf({ value, answer: { value: said } }: Pick<Asked, 'value' | 'answer'>): Verdict {
  if (!said) return 'none'
  const isRight =
    value !== null &&
    isSame(said.text, value.text) &&
    isSame(said.row.at(-1), value.row) &&
    isSame(said.column.at(-1), value.column)
  return isRight ? 'right' : 'wrong'
}

const isSame = (one: string | undefined, other: string) => normalized(one ?? '') === normalized(other)
const isFound = ({ answer }: Asked) => answer.status === 'found'
export const isFirst = ({ answer, document, words }: Pick<Asked, 'answer' | 'document' | 'words'>) =>
  document !== null && rankOf(answer.data, { title: document, words: words ?? undefined }) === 1

/** True for the value of the row before: of the answer that the call already had. */
function isOldRow({ history = [], value, answer: { value: said } }: Asked): boolean {
  const before = history.join(' ')
  return (
    said !== null &&
    value !== null &&
    said.text !== value.text &&
    said.row.some((name) => before.includes(name.toLowerCase()))
  )
}

export function shopFigures(all: readonly Asked[]): ShopFigures {
  const asked = all.filter(({ kind }) => kind !== deleted)
  const ofKind = (kind: string) => asked.filter((each) => each.kind === kind)
  const answerable = asked.filter((each) => each.answerable)
  const share = (of: readonly Asked[], isMet: (each: Asked) => boolean) =>
    Number((of.filter(isMet).length / of.length).toFixed(4))
  return {
    'questions without a wrong value': share(asked, (each) => verdictOf(each) !== 'wrong'),
    'look-ups with the right value': share(ofKind('lookup'), (each) => verdictOf(each) === 'right'),
    'answerable, found': share(answerable, isFound),
    'unanswerable, not found': share(
      asked.filter((each) => !each.answerable),
      (each) => !isFound(each),
    ),
    'without the document that answers, not found': share(
      all.filter(({ kind }) => kind === deleted),
      (each) => !isFound(each),
    ),
    'answerable, right passage first': share(answerable, isFirst),
    'follow-ups, right passage first': share(
      ofKind('followup').filter((each) => each.answerable),
      isFirst,
    ),
    'follow-ups without the value of the row before': share(ofKind('followup'), (each) => !isOldRow(each)),
  }
}

/** The figures, then the values by kind: said, right, wrong. */
export function shopText(half: Half, asked: readonly Asked[]): string {
  const figures = Object.entries(shopFigures(asked)).map(([name, share]) => `  ${name}: ${share.toFixed(2)}`)
  const kinds = [...Map.groupBy(asked, ({ kind }) => kind)].map(([kind, of]) => {
    const count = (verdict: Verdict) => of.filter((each) => verdictOf(each) === verdict).length
    const expected = of.filter(({ value }) => value).length
    return `  ${kind}: ${of.length} questions, ${expected} with a value; ${count('right')} right, ${count('wrong')} wrong`
  })
  return [`Shops to ${half}, ${asked.length} questions`, ...figures, 'Values by kind', ...kinds].join('\n')
}

/** Each question that has a wrong or missing value, a wrong first passage or a wrong status. */
export function shopFailures(asked: readonly Asked[]): string {
  return asked
    .flatMap((each) => {
      const { id, history = [], question, answerable, value, answer } = each
      const faults = [
        verdictOf(each) === 'wrong' &&
          `says ${[...answer.value!.row, ...answer.value!.column, answer.value!.text].join(' / ')}`,
        value && verdictOf(each) === 'none' && `no value, ${value.text} is right`,
        answerable &&
          !isFirst(each) &&
          `first is ${answer.data[0]?.document_title}: ${answer.data[0]?.content.slice(0, 80).replaceAll('\n', ' ')}`,
        answerable !== isFound(each) && `${answer.status} (${answer.answerable})`,
      ].filter(Boolean)
      return faults.length > 0 ? [`${id}: ${[...history, question].join(' → ')}\n    ${faults.join('\n    ')}`] : []
    })
    .join('\n')
}

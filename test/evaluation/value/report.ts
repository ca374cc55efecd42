import type { Value } from '../../../shared/retrieval/schemas.ts'
import type { openStand } from '../stand.ts'
import { isLookUp, isRightCell, type TableQuestion } from './sets.ts'

interface Asked extends TableQuestion {
  value: Value | null
}

/** Each document is an agent's only one, and its questions are searched there. @returns figures of the values, as text */
export async function askForValues(
  stand: Awaited<ReturnType<typeof openStand>>,
  questions: readonly TableQuestion[],
): Promise<string> {
  const asked: Asked[] = []
  for (const group of Map.groupBy(questions, ({ document }) => `${document.title}\n${document.content}`).values()) {
    const { title, content } = group[0]!.document
    const document = { title: title || 'Table', content }
    const search = await stand.ingest({ name: title, documents: [document], questions: [] })
    for (const each of group) {
      const { value } = await search({ query: each.question, mode: 'hybrid', limit: 5, deadline_ms: 10_000 })
      asked.push({ ...each, value })
    }
  }
  const answered = asked.filter(({ answer }) => answer)
  const lines = [
    lineOf('with an answer', answered),
    lineOf('one look-up', asked.filter(isLookUp)),
    lineOf('all', asked),
    silence(asked.filter(({ answer }) => !answer)),
  ]
  const kinds = [...Map.groupBy(answered, ({ kind }) => kind ?? '')].filter(([kind]) => kind)
  return [...lines, ...kinds.map(([kind, each]) => lineOf(kind, each))].join('\n')
}

function silence(asked: readonly Asked[]): string {
  const silent = asked.filter(({ value }) => !value || value.confidence < 0.5).length
  return `without an answer: ${silent} of ${asked.length} below confidence 0.5`
}

function lineOf(name: string, asked: readonly Asked[]): string {
  const isRight = ({ value, answer }: Asked) => value !== null && isRightCell(value, answer)
  const said = asked.filter(({ value }) => value && value.confidence >= 0.5)
  const share = (of: readonly Asked[]) =>
    `${of.filter(isRight).length} of ${of.length} (${(of.filter(isRight).length / of.length).toFixed(2)})`
  return `${name}: ${share(asked)} exact; from confidence 0.5 on ${share(said)}`
}

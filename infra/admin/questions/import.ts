import * as v from 'valibot'
import { createBody, type goldenSchema } from '../../../functions/questions/golden/schemas.ts'
import { maxPerAgent, normalized } from '../../../shared/golden/golden-question.ts'
import type { Api } from '../api.ts'
import { CommandError } from '../command-error.ts'
import { pagesOf } from './pages.ts'
import { type Question, questionsByLine } from './questions-file.ts'

export type Golden = v.InferOutput<typeof goldenSchema>

interface Source {
  text: string
  /** Its name in messages. */
  file: string
  onFailure: 'warn' | 'block'
}

type Titles = Map<string, string>

/**
 * Creates the golden questions that the agent does not have yet.
 * @throws CommandError that names file and line, before anything is created, for a question that the API would refuse
 */
export async function importQuestions(api: Api, agentId: string, { text, file, onFailure }: Source) {
  const lines = questionsByLine(text, file)
  const path = `/v1/agents/${agentId}/golden-questions`
  const existing = await pagesOf<Golden>(api, path)
  const titles = await titlesOf(api, agentId)
  const known = new Set(existing.map(keyOf))
  const rows = [...lines].map(([line, question]) => {
    const at = `${file}, line ${line}`
    const body = toBody(question, titles, at)
    const isNew = !known.has(keyOf(body))
    known.add(keyOf(body))
    return { line, at, body: { ...body, on_failure: onFailure }, isNew }
  })
  const count = rows.filter(({ isNew }) => isNew).length
  if (existing.length + count > maxPerAgent)
    throw new CommandError(
      `an agent can have ${maxPerAgent} golden questions: ${existing.length} and ${count} new are more`,
    )

  const imported: object[] = []
  for (const { line, at, body, isNew } of rows) {
    const { question } = body
    if (!isNew) {
      imported.push({ line, question, imported: 'is there already', result: null })
      continue
    }
    const golden = (await api('POST', path, body, { busy: [429] }).catch((error: Error) => {
      throw new CommandError(`${at} and those after it are not imported: ${error.message}`)
    })) as Golden
    imported.push({ line, question, imported: 'created', result: golden.last_result?.passed ? 'passes' : 'fails' })
  }
  return imported
}

/** Titles by id. */
export async function titlesOf(api: Api, agentId: string): Promise<Titles> {
  const path = `/v1/agents/${agentId}/knowledge-base?exclude=content`
  const documents = await pagesOf<{ id: string; title: string }>(api, path)
  return new Map(documents.map(({ id, title }) => [id, title]))
}

function toBody({ question, expected }: Question, titles: Titles, at: string) {
  const { title, words } = expected ?? {}
  const document_id = title === undefined ? undefined : documentOf(title, titles, at)
  const expects = expected
    ? { ...(document_id && { document_id }), ...(words && { words }) }
    : { nothing: true as const }
  const { issues: [issue] = [] } = v.safeParse(createBody, { question, expects })
  if (issue) throw new CommandError(`${at}: ${v.getDotPath(issue)} ${issue.message}`)
  return { question, expects }
}

function documentOf(title: string, titles: Titles, at: string): string {
  const [found, ...others] = [...titles].filter(([, each]) => normalized(each) === normalized(title))
  if (!found) throw new CommandError(`${at}: no document has the title “${title}”`)
  if (others.length > 0) throw new CommandError(`${at}: ${others.length + 1} documents have the title “${title}”`)
  return found[0]
}

/** The same for questions with the same expectation. */
function keyOf({ question, expects: { document_id = '', words = '' } }: Pick<Golden, 'question' | 'expects'>): string {
  return JSON.stringify([question.trim(), document_id, normalized(words)])
}

import * as v from 'valibot'
import { type checkSchema, createBody } from '../../../functions/questions/checks/schemas.ts'
import { maxPerAgent, normalized } from '../../../shared/checks/check.ts'
import { inLine } from '../../../shared/text/plain-line.ts'
import { CommandError } from '../../command-line/command-error.ts'
import type { Api } from '../api.ts'
import { pagesOf } from './pages.ts'
import { type Question, questionsByLine } from './questions-file.ts'

export type Golden = v.InferOutput<typeof checkSchema>

interface Source {
  text: string
  /** The file's name in messages. */
  file: string
  onFailure: 'warn' | 'block'
}

type Titles = Map<string, string>

/**
 * Creates the golden questions that the agent does not have yet, and sets `on_failure` of the others to the file's value.
 * @throws CommandError with file and line, before it creates anything, for a question that the API would refuse
 */
export async function importQuestions(api: Api, agentId: string, { text, file, onFailure }: Source) {
  const lines = questionsByLine(text, file)
  const path = `/v1/agents/${agentId}/golden-questions`
  const existing = await pagesOf<Golden>(api, path)
  const titles = await titlesOf(api, agentId)
  const known: Body[] = [...existing]
  const rows = [...lines].map(([line, question]) => {
    const at = `${file}, line ${line}`
    const body = toBody(question, titles, at)
    const same = known.find((each) => isSame(each, body))
    if (!same) known.push(body)
    return { line, at, body, same }
  })
  const count = known.length - existing.length
  if (existing.length + count > maxPerAgent)
    throw new CommandError(
      `an agent can have ${maxPerAgent} golden questions: ${existing.length} and ${count} new are more`,
    )

  const imported: object[] = []
  for (const { line, at, body, same } of rows) {
    const { question, on_failure = same?.on_failure } = body
    if (same && (!same.id || same.on_failure === on_failure)) {
      imported.push({ line, question, imported: 'is there already', result: null })
      continue
    }
    const request = same
      ? api('PATCH', `${path}/${same.id}`, { on_failure }, { busy: [429] })
      : api('POST', path, { on_failure: onFailure, ...body }, { busy: [429] })
    const golden = (await request.catch((error: Error) => {
      throw new CommandError(`${at} and those after it are not imported: ${error.message}`)
    })) as Golden
    const result = golden.last_result?.passed ? 'passes' : 'fails'
    imported.push({ line, question, imported: same ? 'changed' : 'created', result })
  }
  return imported
}

/** The documents' titles, by id. */
export async function titlesOf(api: Api, agentId: string): Promise<Titles> {
  const path = `/v1/agents/${agentId}/knowledge-base?exclude=content`
  const documents = await pagesOf<{ id: string; title: string }>(api, path)
  return new Map(documents.map(({ id, title }) => [id, title]))
}

type Body = Pick<Golden, 'question' | 'expects'> & Partial<Golden>

function toBody(
  { question, history, expected, settings: { document_id: id, ...settings } }: Question,
  titles: Titles,
  at: string,
) {
  const { title, words, value } = expected ?? {}
  const document_id = title === undefined && id === undefined ? undefined : documentOf(title, id, titles, at)
  const isNothing = !document_id && !words && value === undefined
  const expects = {
    ...(document_id && { document_id }),
    ...(words && { words }),
    ...(value !== undefined && { value }),
    ...(isNothing && { nothing: true }),
  }
  const given = Object.entries({ ...settings, within: settings.within && Number(settings.within) })
  const body = { question, history, expects, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) }
  const { issues: [issue] = [] } = v.safeParse(createBody, body)
  if (issue) throw new CommandError(`${at}: ${v.getDotPath(issue)} ${issue.message}`)
  return body as Body
}

/** The id decides if several documents, or none, have the title. */
function documentOf(title = '', id: string | undefined, titles: Titles, at: string): string {
  const found = [...titles].flatMap(([id, each]) => (normalized(each) === normalized(title) ? [id] : []))
  if (id !== undefined && (found.length === 0 ? titles.has(id) : found.includes(id))) return id
  if (found.length === 0) throw new CommandError(`${at}: no document has the title or id “${title || id}”`)
  if (found.length > 1) throw new CommandError(`${at}: ${found.length} documents have the title “${title}”`)
  return found[0]!
}

/** True for the same question and expectation. `within` may differ only if one of them has none. */
function isSame(one: Body, other: Body): boolean {
  return keyOf(one) === keyOf(other) && (one.within ?? other.within) === (other.within ?? one.within)
}

function keyOf({ question, history = [], expects: { document_id = '', words = '', value }, as_of }: Body): string {
  return JSON.stringify({
    question: question.trim(),
    history: history.map(inLine),
    document_id,
    words: normalized(words),
    value: value && normalized(value),
    as_of: as_of ? Date.parse(as_of) : null,
  })
}

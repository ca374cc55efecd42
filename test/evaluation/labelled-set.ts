import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Question, questionsByLine } from '../../infra/client/questions/questions-file.ts'
import { CommandError } from '../../infra/command-line/command-error.ts'
import { normalized } from './ask.ts'

/** An agent with its documents and its callers' questions. */
export interface Business {
  name: string
  documents: { title: string; content: string; valid_from?: string; valid_until?: string }[]
  questions: Question[]
  place?: { time_zone?: string; holidays?: string }
  /** The earlier turns of each question's call, by the question's id. */
  before?: Record<string, Before>
}

export interface Before {
  /** The caller's turns, oldest first. */
  history: string[]
  /** Titles of the documents that the call was given. */
  seen: string[]
}

/**
 * The businesses of a folder, one folder each: documents whose first line is `# Title`, and questions.csv.
 * @throws CommandError that names every question whose right passage is in no document
 */
export function readSet(folder: string): Business[] {
  const businesses = globSync('*/questions.csv', { cwd: folder })
    .sort()
    .map((file) => readBusiness(join(folder, dirname(file))))
  const faults = [...businesses.flatMap(passagesMissing), ...idsTaken(businesses)]
  if (businesses.length === 0) faults.push(`${folder} has no businesses`)
  if (faults.length > 0) throw new CommandError(faults.join('\n'))
  return businesses
}

function readBusiness(folder: string): Business {
  const documents = readDocuments(folder)
  const file = join(folder, 'questions.csv')
  const before = join(folder, 'history.json')
  return {
    name: basename(folder),
    documents,
    questions: [...questionsByLine(readFileSync(file, 'utf8'), file).values()],
    ...(existsSync(before) && { before: JSON.parse(readFileSync(before, 'utf8')) }),
  }
}

/** The Markdown files of a folder, whose first line is `# Title`. */
export function readDocuments(folder: string): Business['documents'] {
  return globSync('*.md', { cwd: folder })
    .sort()
    .map((file) => readDocument(join(folder, file)))
}

function readDocument(file: string): Business['documents'][number] {
  const text = readFileSync(file, 'utf8')
  const [line] = text.split('\n', 1)
  if (!line!.startsWith('# ')) throw new CommandError(`${file} does not begin with "# " and its title`)
  return { title: line!.slice(2).trim(), content: text.slice(line!.length).trim() }
}

function passagesMissing({ name, documents, questions }: Business): string[] {
  return questions.flatMap(({ id, kind, expected }) => {
    if (expected === undefined) return kind === 'unanswerable' ? [] : [`${name}, ${id}: no document and words`]
    const { title = '', words = '' } = expected
    const document = documents.find((each) => each.title === title)
    if (document === undefined) return [`${name}, ${id}: no document has the title "${title}"`]
    const isThere = words !== '' && normalized(document.content).includes(normalized(words))
    return isThere ? [] : [`${name}, ${id}: "${title}" does not have the words "${words}"`]
  })
}

/** Figures are kept by id, of all businesses together. */
function idsTaken(businesses: Business[]): string[] {
  const ids = businesses.flatMap(({ questions }) => questions.map(({ id }) => id))
  return [...new Set(ids.filter((id, i) => ids.indexOf(id) < i))].map((id) => `two questions have the id ${id}`)
}

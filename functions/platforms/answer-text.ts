import { ApiError } from '../../shared/http/errors.ts'
import type { Hit } from '../../shared/retrieval/schemas.ts'
import { plainLine, withoutMarks } from '../../shared/text/plain-line.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import type { Consultation } from './consultation.ts'

/** The length in UTF-16 code units after which Retell cuts an answer. */
export const maxAnswer = 15_000

/** The passages. The first begins with the value or, without one, the advice for the model, and with today's date if the question names a day. */
export function passagesOf({
  hits,
  value,
  today,
  message,
}: Pick<Consultation, 'hits' | 'value' | 'today' | 'message'>): string[] {
  const passages = hits.map(passageOf)
  const first = [value ? `${unquoted(plainLine(value))}.` : message, today].filter(Boolean).join(' ')
  return first && hits.length > 0 ? [`${first}\n\n${passages[0]}`, ...passages.slice(1)] : passages
}

export function passageOf({ source: { title, page }, content }: Hit): string {
  const name = (text: string) => `“${unquoted(plainLine(text))}”`
  const place = typeof page === 'number' ? `, page ${page}` : page === null ? '' : `, ${name(page)}`
  return `From ${name(title)}${place}:\n${unquoted(withoutMarks(content).trim())}`
}

const framing = /[“”„‟❝❞〝〞＂]/g

/** Leaves our quotation marks, and those like them, to our frame: then no text of a document, on one line or several, can begin a passage. */
const unquoted = (text: string) => text.replace(framing, '"')

/** The first passages that fit whole into an answer; if the first one does not fit, it is cut after a sentence or a word. */
export function fitting(passages: string[], separator = ''): string[] {
  let length = -separator.length
  const count = passages.findIndex((passage) => {
    length += separator.length + passage.length
    return length > maxAnswer
  })
  if (count === -1) return passages
  return count > 0 ? passages.slice(0, count) : [cut(passages[0]!)]
}

function cut(passage: string): string {
  const start = passage.slice(0, maxAnswer)
  const ends = (['sentence', 'word'] as const).map((granularity) => {
    const segments = [...new Intl.Segmenter(undefined, { granularity }).segment(start)]
    return segments.at(-1)!.index
  })
  const end = ends.find((end) => end > maxAnswer / 2) ?? maxAnswer
  return start
    .slice(0, end)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()
}

const lineBreak = /\r\n|[\n\r\v\f\x85\u2028\u2029]/
const row = /^\|(.*)\|$/
const delimiterRow = /^(?=.*--)[\s:|-]+$/s
const heading = /^#{1,6}\s+(\S.*)?$/

/** Puts Markdown on a single line, with semicolons after table rows and colons after headings. */
export function onOneLine(markdown: string): string {
  let line = ''
  for (const text of markdown.split(lineBreak).map((text) => text.trim())) {
    if (text === '' || (delimiterRow.test(text) && text.includes('|'))) continue
    const cells = row.exec(text)?.[1]
    line +=
      cells === undefined
        ? `${text.replace(heading, (_, said = '') => `${said.replace(/(?<!#)#+$/, '').trimEnd()}:`)} `
        : `${cells.trim()}; `
  }
  return line.replaceAll(/\s+/g, ' ').replace(/;? $/, '')
}

/** Describes an error for a platform that shows people a sentence and no status. */
export function faultText(error: unknown, requestId: string): string {
  if (error instanceof ApiError) return onOneLine(error.errors?.map(({ detail }) => detail).join('; ') ?? error.message)
  if (error instanceof Unavailable) return 'The knowledge base cannot be reached at the moment. Try again in a moment.'
  return `Something went wrong. It was logged under the request id ${requestId}.`
}

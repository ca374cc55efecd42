import type { Chunk } from '../../../shared/chunking/chunker.ts'

/**
 * Splits a chunk's content into the lines that it repeats and its own part of the text.
 * @throws Error unless the latter is text[start, end) and the former are whole lines of the text, in order and above `start`
 */
export function partsOf(text: string, { content, metadata: { start, end } }: Chunk): { repeated: string; own: string } {
  const at = content.length - (end - start)
  const [repeated, own] = [content.slice(0, at), content.slice(at)]
  if (at < 0 || own !== text.slice(start, end)) throw new Error(`${JSON.stringify(content)} does not end as the text`)
  const lines = repeated.match(/[^\r\n]*(\r\n|\r|\n)/g) ?? []
  let above = 0
  for (const line of lines) {
    let from = text.indexOf(line, above)
    while (from > 0 && !'\r\n'.includes(text[from - 1]!)) from = text.indexOf(line, from + 1)
    above = from + line.length
    if (from < 0 || above > start) throw new Error(`${JSON.stringify(line)} is no line above ${start}`)
  }
  if (lines.join('') !== repeated) throw new Error(`${JSON.stringify(repeated)} is not whole lines`)
  return { repeated, own }
}

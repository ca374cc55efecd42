/** A definition of a link to nowhere, of which only the title says something: `[//]: # (a comment)`. */
const definition = String.raw`^ {0,3}\[[^\[\]\n]{1,200}\]:[ \t]*[#\/<>.]{1,3}[ \t]+(?:"[^"]{0,2000}"|'[^']{0,2000}'|\([^()]{0,2000}\))[ \t]*$`
const marks = new RegExp(
  String.raw`\n|^ {0,3}(?:\`{3,}|~{3,})|\`+|<!---?>|<!--|-->|~~[^~\n]{1,500}~~|${definition}`,
  'gm',
)

/** Code within a line is longer only by accident. */
const maxCode = 200

/** Removes comments and struck passages of a Markdown text, but not those that its code shows. @returns the text and their numbers */
export function withoutComments(text: string) {
  const kept: string[] = []
  const leftOut = { comments: 0, struck_passages: 0 }
  let [from, fence, ticks] = [0, '', 0]
  let begun: number | undefined
  for (const { 0: mark, index } of text.matchAll(marks)) {
    const end = index + mark.length
    const isLine = index === 0 || text[index - 1] === '\n'
    if (begun !== undefined && mark !== '-->') continue
    if (fence) {
      if (isLine && mark.trim().startsWith(fence)) fence = ''
    } else if (mark === '\n') ticks = 0
    else if (isLine && /^ *(?:`{3}|~{3})/.test(mark)) fence = mark.trim()
    else if (mark.startsWith('`')) ticks++
    else if (ticks % 2 === 1 && /^[^\n]*`/.test(text.slice(end, end + maxCode))) continue
    else if (mark === '<!--') begun = index
    else if (mark !== '-->' || begun !== undefined) {
      kept.push(text.slice(from, begun ?? index))
      from = end
      begun = undefined
      leftOut[mark.startsWith('~') ? 'struck_passages' : 'comments']++
    }
  }
  return { text: kept.join('') + text.slice(from), leftOut }
}

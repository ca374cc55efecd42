import { cleanText } from './clean-text.ts'

const maxCharacters = 200
const extension =
  /\.(pdf|docx?|docm|dotx?|odt|rtf|xlsx?|csv|pptx?|odp|txt|md|html?|indd|qxd|pages|key|pub|ai|psd|cdr|tex|dvi|tmp)\b/i
const junk = [
  extension,
  /^microsoft (office )?(word|excel|powerpoint)\b/i,
  /^(\S+ presentation|powerpoint-präsentation|présentation powerpoint)$/i,
  /^(untitled|unbenannt|ohne titel|sans titre|(new |neues |nouveau )?(document|dokument)|presentation|slide|folie|page|title|titel|titre)[ -]?\d*$/i,
  /^(home|index|(table of )?contents|inhalt|inhaltsverzeichnis|sommaire|table des matières)$/i,
  /^[^\s_]*_\S*$|^\w+:\S|[\\/]\S*[\\/]/,
  /\ufffd|^þÿ|^ÿþ/,
]

/** The first candidate that a person would use as a title, on one line. */
export function saneTitle(candidates: readonly (string | undefined)[]): string | undefined {
  return candidates
    .map((candidate) => cleanText((candidate ?? '').slice(0, 1_000)).replace(/\s+/g, ' '))
    .find(
      (title) => /\p{L}/u.test(title) && [...title].length <= maxCharacters && !junk.some((mark) => mark.test(title)),
    )
}

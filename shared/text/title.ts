import { cleanText } from './clean-text.ts'

const maxCharacters = 200
const extension =
  /\.(pdf|docx?|docm|dotx?|odt|rtf|xlsx?|csv|pptx?|odp|txt|md|html?|indd|qxd|pages|key|pub|ai|psd|cdr|tex|dvi|tmp)\b/i
const junk = [
  extension,
  /^microsoft (office )?(word|excel|powerpoint)\b/i,
  /^\S+ presentation$/i,
  /^(home|index|(table of )?contents|inhalt|inhaltsverzeichnis|sommaire|table des matières)$/i,
  /^[^\s_]*_\S*$|^\w+:\S|[\\/]\S*[\\/]/,
  /\ufffd|^þÿ|^ÿþ/,
  // Names of temporary files.
  /^~|^te?mp(?=\w*\d)\w+$|^[\da-f-]{16,}$/i,
]
/** Words that programs write when nobody has given a title, in any combination, with numbers and brackets. */
const placeholders = new Set(
  `untitled unbenannt unbenanntes ohne titel sans titre no title none null undefined anonymous unspecified unknown new neu neue neues
  nouveau nouvelle microsoft word excel powerpoint impress document dokument doc textdokument presentation präsentation présentation
  spreadsheet tabelle sheet book mappe classeur design drawing slide folie layout page seite scan scanned image print`.split(
    /\s+/,
  ),
)

const isPlaceholder = (title: string) =>
  (title.toLowerCase().match(/\p{L}+/gu) ?? []).every((word) => placeholders.has(word))

/** The first candidate that a person would use as a title, on one line. */
export function saneTitle(candidates: readonly (string | undefined)[]): string | undefined {
  return candidates
    .map((candidate) => cleanText((candidate ?? '').slice(0, 1_000)).replace(/\s+/g, ' '))
    .find(
      (title) => !isPlaceholder(title) && [...title].length <= maxCharacters && !junk.some((mark) => mark.test(title)),
    )
}

/** Zero-width characters, controls of direction and the like. Joiners stay inside words, except of scripts that do without them. */
const invisible =
  /[[\p{Cf}\p{Default_Ignorable_Code_Point}]--[\u200c\u200d]]|(?<![[\p{L}\p{M}]--[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}]])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}])/gv

/** Puts a title or a cell on a single line, without characters that nobody sees: a model must not take a part of it for a line of ours. */
export function plainLine(text: string): string {
  return text
    .replace(invisible, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

/** Puts a text on a single line. */
export function inLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

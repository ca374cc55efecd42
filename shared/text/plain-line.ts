/** Joiners outside of emoji, and of words in scripts that need them. */
const strayJoiners =
  /(?<![[\p{L}\p{M}]--[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}]]|\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)[\u200c\u200d]|(?<!\p{M})[\u200c\u200d](?![\p{L}\p{M}\p{Extended_Pictographic}])/gv
const invisible = /[[\p{Cf}\p{Default_Ignorable_Code_Point}]--[\u200c\u200d]]/gv
/** Zero-width spaces, controls of direction and the like; not signs that choose a letter's form, nor Arabic signs of numbers. */
export const marks = /[[\p{Cf}&&\p{Default_Ignorable_Code_Point}]--[\u200c\u200d]]/gv

/** Removes marks that nobody sees or hears, and keeps those that letters and emoji need. */
export function withoutMarks(text: string): string {
  return text.replace(marks, '').replace(strayJoiners, '')
}

/** Puts a title or a cell on a single line, without characters that nobody sees: a model must not take a part of it for a line of ours. */
export function plainLine(text: string): string {
  return text
    .replace(invisible, '')
    .replace(strayJoiners, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

/** Puts a text on a single line. */
export function inLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

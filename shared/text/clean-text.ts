import { maxContentBytes } from '../documents/contract/max-content-bytes.ts'
import { normalForm } from './normal-form.ts'
import { withoutMarks } from './plain-line.ts'
import { Unreadable } from './unreadable.ts'

/** Removes characters that the database refuses or search cannot match. @throws Unreadable over 4 MiB of UTF-8 */
export function cleanText(text: string): string {
  const plain = withoutMarks(text)
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be removed.
    .replace(/[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '')
    .replaceAll('\u2011', '-')
    .replaceAll('\f', '\n')
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .toWellFormed()
  const clean = normalForm(plain, 'NFC')
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  if (Buffer.byteLength(clean) > maxContentBytes) throw new Unreadable('too_much_text')
  return clean
}

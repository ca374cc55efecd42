import type { Failure } from '../../shared/documents/failures.ts'
import { contentLimit } from '../../shared/documents/input.ts'

export interface Extracted<SourceType> {
  text: string
  sourceType: SourceType
}

/** As Postgres can keep it: without U+0000 and lone surrogates. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/** Why a document cannot have this text; undefined if it can. */
export function faultOf(text: string): Failure | undefined {
  if (Buffer.byteLength(text) > contentLimit) return textTooLong
  if (!/[\p{L}\p{N}]/u.test(text)) return noText
  return undefined
}

const textTooLong: Failure = {
  code: 'file_text_too_long',
  message: `The file has more than 4 MiB of text, the maximum of a document. Split it into several files, upload each of them and delete this document.`,
}

const noText: Failure = {
  code: 'file_without_text',
  message:
    'There is no text in the file. Is it a scan? Then have its text recognized (OCR) and upload the result, or enter the text by hand.',
}

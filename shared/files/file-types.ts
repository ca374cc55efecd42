import type { SourceType } from '../database/tables.ts'

export const maxFileBytes = 50 * 1024 * 1024

/** By the extension of its name. */
const sourceTypes: Record<string, FileType> = {
  pdf: 'pdf',
  docx: 'docx',
  csv: 'csv',
  xlsx: 'csv',
  txt: 'txt',
  md: 'txt',
  markdown: 'txt',
  html: 'txt',
  htm: 'txt',
  pptx: 'txt',
}

export type FileType = Exclude<SourceType, 'manual'>

/** Without the dot, in lower case. */
export const fileExtensions: readonly string[] = Object.keys(sourceTypes)

/** Undefined for a file that no text is extracted from. */
export function fileTypeOf(fileName: string): FileType | undefined {
  const [, extension = ''] = /\.(\w+)$/.exec(fileName) ?? []
  return sourceTypes[extension.toLowerCase()]
}

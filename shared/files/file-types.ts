import type { SourceType } from '../database/tables.ts'

export const maxFileBytes = 50 * 1024 * 1024

const sourceTypes: Record<string, FileType> = {
  pdf: 'pdf',
  jpg: 'pdf',
  jpeg: 'pdf',
  png: 'pdf',
  docx: 'docx',
  doc: 'docx',
  odt: 'docx',
  rtf: 'docx',
  csv: 'csv',
  xlsx: 'csv',
  ods: 'csv',
  txt: 'txt',
  md: 'txt',
  markdown: 'txt',
  html: 'txt',
  htm: 'txt',
  pptx: 'txt',
  odp: 'txt',
  epub: 'txt',
  eml: 'txt',
}

export type FileType = Exclude<SourceType, 'manual'>

export const fileExtensions: readonly string[] = Object.keys(sourceTypes)

/** Undefined for a file whose text is not extracted. */
export function fileTypeOf(fileName: string): FileType | undefined {
  return sourceTypes[extensionOf(fileName)]
}

/** The type of the file's name, if its content contradicts it; a text file may hold a table. */
export function namedTypeOf(found: SourceType, sourceUrl: string | null): FileType | undefined {
  const named = fileTypeOf(sourceUrl ?? '')
  return named === found || (named === 'txt' && found === 'csv') ? undefined : named
}

export type FileKind = SourceType | 'xlsx' | 'pptx' | 'html' | 'md' | 'epub' | 'eml' | 'picture'
const kinds: Record<string, FileKind> = {
  jpg: 'picture',
  jpeg: 'picture',
  png: 'picture',
  xlsx: 'xlsx',
  ods: 'xlsx',
  pptx: 'pptx',
  odp: 'pptx',
  epub: 'epub',
  eml: 'eml',
  html: 'html',
  htm: 'html',
  md: 'md',
  markdown: 'md',
}

/** The kind of the file as people name it: the type of its content, or its extension if that agrees and is more exact. */
export function fileKindOf(sourceType: SourceType, sourceUrl: string | null): FileKind {
  const extension = extensionOf(sourceUrl ?? '')
  return sourceTypes[extension] === sourceType ? (kinds[extension] ?? sourceType) : sourceType
}

function extensionOf(fileName: string): string {
  return /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ''
}

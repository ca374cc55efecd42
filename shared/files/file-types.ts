import type { SourceType } from '../database/tables.ts'

export const maxFileBytes = 50 * 1024 * 1024

export type FileType = Exclude<SourceType, 'manual'>
type FileKind = SourceType | 'xlsx' | 'pptx' | 'html' | 'md' | 'epub' | 'eml' | 'picture'

/** The extensions of each type, and of each kind as people name it. */
const kinds: [FileType, FileKind, extensions: string][] = [
  ['pdf', 'pdf', 'pdf'],
  ['pdf', 'picture', 'jpg jpeg png'],
  ['docx', 'docx', 'docx doc odt rtf'],
  ['csv', 'csv', 'csv'],
  ['csv', 'xlsx', 'xlsx ods'],
  ['txt', 'txt', 'txt'],
  ['txt', 'md', 'md markdown'],
  ['txt', 'html', 'html htm'],
  ['txt', 'pptx', 'pptx odp'],
  ['txt', 'epub', 'epub'],
  ['txt', 'eml', 'eml'],
]
const known = new Map(
  kinds.flatMap(([type, kind, names]) => names.split(' ').map((name) => [name, { type, kind }] as const)),
)

export const fileExtensions: readonly string[] = [...known.keys()]

/** Returns undefined for a file whose text is not extracted. */
export function fileTypeOf(fileName: string): FileType | undefined {
  return known.get(extensionOf(fileName))?.type
}

/** The type of the file's name, if its content contradicts it; a text file may hold a table. */
export function namedTypeOf(found: SourceType, sourceUrl: string | null): FileType | undefined {
  const named = fileTypeOf(sourceUrl ?? '')
  return named === found || (named === 'txt' && found === 'csv') ? undefined : named
}

/** The kind of the file as people name it: the type of its content, or its extension if that agrees and is more exact. */
export function fileKindOf(sourceType: SourceType, sourceUrl: string | null): FileKind {
  const named = known.get(extensionOf(sourceUrl ?? ''))
  return named?.type === sourceType ? named.kind : sourceType
}

function extensionOf(fileName: string): string {
  return /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ''
}

import { Unreadable, type UnreadableCode } from '../../../shared/text/unreadable.ts'

/** Detected by the first bytes; a `zip` by its entries. */
export type ContentType = 'pdf' | 'picture' | 'doc' | 'rtf' | 'zip' | 'eml' | 'characters'

const pictures = ['\x89PNG', '\xff\xd8\xff']
const otherPictures = ['GIF8', 'II*\0', 'MM\0*', '8BPS', 'BM']
const archives = ['7z\xbc\xaf', 'Rar!\x1a\x07', '\x1f\x8b', 'BZh', '\xfd7zXZ']
const packages = ['PK\x03\x04', 'PK\x05\x06']
const compoundFile = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'
const compoundStreams: [UnreadableCode | 'doc', string][] = [
  ['encrypted', 'EncryptedPackage'],
  ['outlook', '__substg1.0'],
  ['doc', 'WordDocument'],
  ['old_powerpoint', 'PowerPoint Document'],
  ['old_excel', 'Workbook'],
  ['old_excel', 'Book'],
]

/** Tells a file's type by its content, since extensions are often wrong. @throws Unreadable for files that cannot be read */
export function contentType(file: Buffer): ContentType {
  if (file.length === 0) throw new Unreadable('empty')
  const start = file.toString('latin1', 0, 1024)
  const begins = (signatures: readonly string[]) => signatures.some((signature) => start.startsWith(signature))
  if (begins(packages)) return 'zip'
  if (start.includes('%PDF-')) return 'pdf'
  if (/^(\xef\xbb\xbf)?\s*\{\\rtf/.test(start)) return 'rtf'
  if (begins([compoundFile])) return compoundType(file)
  if (begins(pictures)) return 'picture'
  if (isImage(start, begins(otherPictures))) throw new Unreadable('image')
  if (begins(archives)) throw new Unreadable('archive')
  // PostScript and films.
  if (start.startsWith('%!PS') || start.startsWith('ftyp', 4)) throw new Unreadable('unsupported')
  return isMail(file.toString('latin1', 0, 64 * 1024)) ? 'eml' : 'characters'
}

/** True if it begins with header fields: a sender, and one that only mail programs write. */
function isMail(start: string): boolean {
  const [headers = ''] = /^(?:[\w-]+:.*\r?\n(?:[ \t].*\r?\n)*)+(?=\r?\n)/.exec(start) ?? []
  return /^from:/im.test(headers) && /^(message-id|mime-version|received|date):/im.test(headers)
}

function isImage(start: string, begins: boolean): boolean {
  if (start.startsWith('BM')) return start.slice(6, 10) === '\0\0\0\0'
  return begins || start.startsWith('WEBP', 8) || /^ftyp(heic|heix|mif1|avif)/.test(start.slice(4))
}

function compoundType(file: Buffer): 'doc' {
  // Searches for bytes: at an odd address, Node never ends its search for a UTF-16 string.
  const [type] = compoundStreams.find(([, name]) => file.includes(Buffer.from(name, 'utf16le'))) ?? ['unsupported']
  if (type !== 'doc') throw new Unreadable(type)
  return type
}

type PackageFormat = 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp' | 'epub'

const packageParts: [PackageFormat, RegExp][] = [
  ['docx', /^\/?word\/document\d*\.xml$/],
  ['xlsx', /^\/?xl\/workbook\d*\.xml$/],
  ['pptx', /^\/?ppt\/presentation\d*\.xml$/],
]
const mimetypes: Record<string, PackageFormat> = {
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.presentation': 'odp',
  'application/epub+zip': 'epub',
}

/** Tells a zip package by the names of its entries and its `mimetype`. @throws Unreadable */
export function packageFormat(names: readonly string[], mimetype: string | undefined): PackageFormat {
  const format =
    mimetypes[mimetype?.trim().replace(/-template$/, '') ?? ''] ??
    packageParts.find(([, part]) => names.some((name) => part.test(name)))?.[0]
  if (format) return format
  if (names.includes('xl/workbook.bin')) throw new Unreadable('old_excel')
  if (names.some((name) => /^Index(\.zip$|\/.*\.iwa$)/.test(name))) throw new Unreadable('pages')
  throw new Unreadable(mimetype === undefined ? 'archive' : 'unsupported')
}

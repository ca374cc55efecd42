import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { Unreadable } from './unreadable.ts'

const maxEntries = 10_000
const maxBytes = 384 * 1024 * 1024
/** Below this, no ratio is suspicious: a megabyte of blanks harms nobody. */
const ratioFrom = 32 * 1024 * 1024
const maxRatio = 200
/** Of a part that is looked into: all that matters in any but the content of an OpenDocument stands at the start. */
const startBytes = { 'content.xml': 64 * 1024 * 1024, other: 256 * 1024 }
const entityMarks = [Buffer.from('<!ENTITY'), Buffer.from('<!ENTITY', 'utf16le')]
const hidingMarks = ['table:visibility="collapse"', 'table:visibility="filter"', 'table:display="false"']

export interface ZipPackage {
  names: string[]
  /** the content of the entry of this name */
  mimetype: string | undefined
  /** of an OpenDocument, by what it says of itself */
  isEncrypted: boolean
  /** has sheets, rows or columns that an OpenDocument does not show */
  hides: boolean
}

/**
 * Reads every entry once, so that the libraries that read them again meet what the directory says: no more entries, bytes and
 * ratio than a document has, no XML with entities of its own (which no office program writes, and which bombs are made of).
 * @throws Unreadable
 */
export async function checkedPackage(file: Buffer): Promise<ZipPackage> {
  const zip = await opened(file)
  if (zip.entryCount > maxEntries) throw new Unreadable('suspicious')
  const entries = await entriesOf(zip)
  const total = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0)
  if (total > maxBytes || (total > ratioFrom && total > file.length * maxRatio)) throw new Unreadable('suspicious')
  const found: ZipPackage = {
    names: entries.map(({ fileName }) => fileName),
    mimetype: undefined,
    isEncrypted: false,
    hides: false,
  }
  for (const entry of entries) {
    if (entry.isEncrypted()) throw new Unreadable('encrypted')
    const start = await startOf(zip, entry)
    if (/\.(xml|rels)$/i.test(entry.fileName) && entityMarks.some((mark) => start.includes(mark)))
      throw new Unreadable('suspicious')
    if (entry.fileName === 'mimetype') found.mimetype = start.toString()
    if (entry.fileName === 'META-INF/manifest.xml') found.isEncrypted = start.includes('encryption-data')
    if (entry.fileName === 'content.xml') found.hides = hidingMarks.some((mark) => start.includes(mark))
  }
  return found
}

async function opened(file: Buffer): Promise<ZipFile> {
  return await new Promise((resolve, reject) => {
    fromBuffer(file, { lazyEntries: true, strictFileNames: false }, (error, zip) =>
      error ? reject(new Unreadable('damaged', error)) : resolve(zip),
    )
  })
}

async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = []
  await new Promise<void>((resolve, reject) => {
    zip.on('error', (error) => reject(new Unreadable('damaged', error)))
    zip.on('end', resolve)
    zip.on('entry', (entry: Entry) => {
      if (!entry.fileName.endsWith('/')) entries.push(entry)
      zip.readEntry()
    })
    zip.readEntry()
  })
  return entries
}

/** The entry's first bytes, all of it read: fails where it holds more or less than it says. */
async function startOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  try {
    const stream = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
      zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)))
    })
    const limit = entry.fileName === 'content.xml' ? startBytes['content.xml'] : startBytes.other
    const start: Buffer[] = []
    let bytes = 0
    for await (const part of stream) {
      if (bytes < limit) start.push(part)
      bytes += part.length
    }
    return Buffer.concat(start)
  } catch (error) {
    throw new Unreadable('damaged', error)
  }
}

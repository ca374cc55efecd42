import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { Unreadable } from '../../../shared/text/unreadable.ts'

const maxEntries = 10_000
const maxBytes = 384 * 1024 * 1024
const ratioFrom = 32 * 1024 * 1024
const maxRatio = 200
const startBytes = 256 * 1024
/** Matches UTF-8, and UTF-16 and UTF-32 of either byte order, with their zero bytes. */
const entityDeclaration = new RegExp([...'<!ENTITY'].join('\\0{0,3}'))
/** Exempts SVG, in which drawing programs declare entities, and which is never read. */
const isPicture = ({ fileName }: Entry) => /\.svg$/i.test(fileName)
const hidingMark = /table:visibility="(collapse|filter)"|table:display="false"/
/** The characters that two pieces of a stream share: more than any mark has, since one may span both. */
const overlap = 64

/** Refuses zip bombs, and XML with entities of its own, which no office program writes. @throws Unreadable */
export async function checkedPackage(file: Buffer) {
  const zip = await opened(file)
  if (zip.entryCount > maxEntries) throw new Unreadable('suspicious')
  const entries = await entriesOf(zip)
  const total = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0)
  if (total > maxBytes || (total > ratioFrom && total > file.length * maxRatio)) throw new Unreadable('suspicious')
  const found = {
    names: entries.map(({ fileName }) => fileName),
    mimetype: undefined as string | undefined,
    title: undefined as string | undefined,
    isEncrypted: false,
    /** True for an OpenDocument with hidden sheets, rows or columns. */
    hides: false,
  }
  for (const entry of entries) {
    if (entry.isEncrypted()) throw new Unreadable('encrypted')
    const { start, declaresEntity, hides } = await lookInto(zip, entry)
    if (declaresEntity && !isPicture(entry)) throw new Unreadable('suspicious')
    if (entry.fileName === 'mimetype') found.mimetype = start.toString()
    if (entry.fileName === 'META-INF/manifest.xml') found.isEncrypted = start.includes('encryption-data')
    if (entry.fileName === 'content.xml') found.hides = hides
    if (/^(docProps\/core|meta)\.xml$|\.opf$/.test(entry.fileName)) found.title = titleIn(start.toString())
  }
  return found
}

/** Reads the entries with these names from a package that was checked before. */
export async function entriesNamed(file: Buffer, name: RegExp): Promise<Map<string, Buffer>> {
  const zip = await opened(file)
  const found = new Map<string, Buffer>()
  for (const entry of await entriesOf(zip))
    if (name.test(entry.fileName)) {
      const parts: Buffer[] = await Array.fromAsync(await zip.openReadStreamPromise(entry))
      found.set(entry.fileName, Buffer.concat(parts))
    }
  return found
}

/** A zip package of these entries, uncompressed. */
export function packageOf(entries: ReadonlyMap<string, Buffer>): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of entries) {
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt32LE(crc32(content), 10)
    fields.writeUInt32LE(content.length, 14)
    fields.writeUInt32LE(content.length, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\0'), fields, place, Buffer.from(name))
    files.push(Buffer.from('PK\x03\x04'), fields, Buffer.from(name), content)
    offset += 30 + Buffer.byteLength(name) + content.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(entries.size, 8)
  end.writeUInt16LE(entries.size, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, ...directory, end])
}

async function opened(file: Buffer): Promise<ZipFile> {
  return await fromBufferPromise(file, { lazyEntries: true, strictFileNames: false, autoClose: false }).catch(
    (error) => {
      throw new Unreadable('damaged', error)
    },
  )
}

async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  try {
    const entries = await Array.fromAsync(zip.eachEntry())
    return entries.filter(({ fileName }) => !fileName.endsWith('/'))
  } catch (error) {
    throw new Unreadable('damaged', error)
  }
}

/** Reads the whole entry. @throws Unreadable if its size is not the declared one */
async function lookInto(zip: ZipFile, entry: Entry) {
  const start: Buffer[] = []
  let [bytes, end, declaresEntity, hides] = [0, '', false, false]
  try {
    for await (const part of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      if (bytes < startBytes) start.push(part)
      bytes += part.length
      const text = end + part.toString('latin1')
      declaresEntity ||= entityDeclaration.test(text)
      hides ||= hidingMark.test(text)
      end = text.slice(-overlap)
    }
  } catch (error) {
    throw new Unreadable('damaged', error)
  }
  return { start: Buffer.concat(start), declaresEntity, hides }
}

/** The target of each relationship in an Office package's `.rels`, by its id, as a path in `folder`. */
export function targetsIn(relationships: string, folder: string): Map<string | undefined, string> {
  const inFolder = new RegExp(`\\bTarget="\\/?(?:${folder}\\/)?([^"]*)"`)
  return new Map(
    relationships
      .matchAll(/<Relationship [^<>]*>/g)
      .map(([each]) => [/\bId="([^"]*)"/.exec(each)?.[1], inFolder.exec(each)?.[1] ?? '']),
  )
}

const references: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function titleIn(properties: string): string | undefined {
  const [, title] = /<dc:title[^<>]*>([^<]*)<\/dc:title>/.exec(properties) ?? []
  return title && characters(title)
}

/** XML's text with its references resolved. */
export function characters(xml: string): string {
  return xml.replaceAll(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w+));/gi, (whole, decimal, hexadecimal, name) =>
    name
      ? (references[name] ?? whole)
      : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16)),
  )
}

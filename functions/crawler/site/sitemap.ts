import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Parser } from 'htmlparser2'
import type { SitemapReading } from '../../../shared/database/website-tables.ts'
import { decodeText } from '../../../shared/text/decode-text.ts'
import { Unreadable } from '../../../shared/text/unreadable.ts'
import { canonical } from '../../../shared/websites/address.ts'
import { hostOf } from './address.ts'
import type { Client } from './client.ts'
import { follow, secure } from './follow.ts'
import type { Robots } from './robots.ts'

/** The result of one file: canonical addresses of pages on the sitemap's host, and the part left to read; null if none is. */
export type SitemapFile = { addresses: string[]; reading: SitemapReading | null } | { reason: string }

interface Entries {
  isIndex: boolean
  entries: string[]
}

/** The protocol's limits for one file; here they hold for all files together. */
const maxBytes = 50 * 1024 * 1024
const maxAddresses = 50_000
const maxFiles = 200
const maxDepth = 3
const maxNesting = 100
const maxEntry = 2_000
/** The characters that are read before other work has its turn. */
const portion = 64 * 1024

const unzip = promisify(gunzip)

export function begunReading(address: string): SitemapReading {
  return { files: [{ address, depth: 1 }], at: 0, found: 0 }
}

/** Reads the next file of a sitemap. After the first, a file that fails or that robots.txt forbids brings nothing. */
export async function readNext(client: Client, reading: SitemapReading, robots: Robots): Promise<SitemapFile> {
  const { files, at, found } = reading
  const { address, depth } = files[at]!
  const home = files[0]!.address
  const file = await entriesAt(client, address, robots)
  if ('reason' in file && at === 0) return file
  const { isIndex, entries } = 'reason' in file ? { isIndex: false, entries: [] } : file
  const listed = new Set(entries.flatMap((entry) => (URL.canParse(entry) && canonical(secure(entry, home))) || []))
  const own = [...listed].filter((each) => hostOf(each) === hostOf(home))
  const addresses = isIndex ? [] : own.slice(0, maxAddresses - found)
  const others = isIndex && depth < maxDepth ? own.filter((each) => !files.some((known) => known.address === each)) : []
  const further = others.slice(0, maxFiles - files.length).map((each) => ({ address: each, depth: depth + 1 }))
  const next = { files: [...files, ...further], at: at + 1, found: found + addresses.length }
  if (next.at < next.files.length && next.found < maxAddresses) return { addresses, reading: next }
  return next.found > 0 ? { addresses, reading: null } : { reason: 'The sitemap lists no address of its site.' }
}

async function entriesAt(client: Client, address: string, { allows }: Robots): Promise<Entries | { reason: string }> {
  if (!allows(address)) return { reason: 'The website’s robots.txt does not allow to read the sitemap.' }
  const followed = await follow(client, address, { maxBytes, allows })
  if ('kind' in followed) return followed
  const { status, body } = followed.response
  if (status !== 200) return { reason: `The sitemap answers with the status ${status}.` }
  try {
    const isZipped = body[0] === 0x1f && body[1] === 0x8b
    const text = decodeText(isZipped ? await unzip(body, { maxOutputLength: maxBytes }) : body)
    return /^\ufeff?\s*</.test(text) ? await entriesOf(text) : { isIndex: false, entries: linesOf(text) }
  } catch {
    return { reason: 'The sitemap is damaged, or has more than 50 MiB.' }
  }
}

/** A plain list of addresses is a sitemap, too. */
function linesOf(text: string): string[] {
  const lines = text.matchAll(/[^\r\n]+/g).map(([line]) => line)
  return lines
    .filter((line) => line.length <= maxEntry)
    .take(maxAddresses)
    .toArray()
}

/**
 * Reads only the addresses of the XML: a sitemap's, or those of the entries of an RSS or Atom feed. It may be ill-formed; its own entities
 * are not expanded. @throws Unreadable
 */
async function entriesOf(text: string): Promise<Entries> {
  const entries: string[] = []
  let [isIndex, nesting, entry, isInItem] = [false, 0, '', false]
  const isAddress = (name: string) => /^(?!image:|video:)(\w{1,50}:)?loc$/.test(name) || (isInItem && name === 'link')
  const isItem = (name: string) => /^(item|entry)$/.test(name)
  const parser = new Parser(
    {
      onopentag(name, { href = '', rel = 'alternate' }) {
        if (++nesting > maxNesting) throw new Unreadable('too_complex')
        isIndex ||= /^(\w{1,50}:)?sitemapindex$/.test(name)
        isInItem ||= isItem(name)
        entry = isInItem && name === 'link' && rel === 'alternate' ? href.slice(0, maxEntry + 1) : ''
      },
      ontext(text) {
        if (entry.length <= maxEntry) entry += text.slice(0, maxEntry + 1)
      },
      onclosetag(name) {
        nesting--
        if (isAddress(name) && entry.trim() !== '' && entry.length <= maxEntry) entries.push(entry.trim())
        if (isItem(name)) isInItem = false
      },
    },
    { xmlMode: true },
  )
  for (let at = 0; at < text.length && entries.length < maxAddresses; at += portion) {
    parser.write(text.slice(at, at + portion))
    await setImmediate()
  }
  return { isIndex, entries: entries.slice(0, maxAddresses) }
}

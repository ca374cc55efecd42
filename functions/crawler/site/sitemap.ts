import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { parseFragment } from 'parse5'
import { canonical, hostOf } from './address.ts'
import type { Client } from './client.ts'
import { follow, secure } from './follow.ts'

export type Sitemap = { kind: 'sitemap'; addresses: string[] } | { kind: 'failed'; reason: string }

/** Those of the protocol for one file; here they hold for all. */
const maxBytes = 50 * 1024 * 1024
const maxAddresses = 50_000
const maxFiles = 200
const maxDepth = 3

const unzip = promisify(gunzip)

/** The canonical addresses on its host that a sitemap lists, itself or by further ones; at most 50,000. A further one that fails is left out. */
export async function readSitemap(client: Client, address: string): Promise<Sitemap> {
  const addresses = new Set<string>()
  const files = [{ address, depth: 1 }]
  for (let at = 0; at < files.length && addresses.size < maxAddresses; at++) {
    const file = files[at]!
    const text = await textOf(client, file.address)
    if (typeof text !== 'string') {
      if (at === 0) return { kind: 'failed', reason: text.reason }
      continue
    }
    const { isIndex, found } = entriesOf(text)
    for (const entry of found) {
      const known = canonical(secure(entry, address), address)
      if (!known || hostOf(known) !== hostOf(address)) continue
      if (!isIndex && addresses.size < maxAddresses) addresses.add(known)
      const isNew = !files.some((other) => other.address === known)
      if (isIndex && isNew && file.depth < maxDepth && files.length < maxFiles)
        files.push({ address: known, depth: file.depth + 1 })
    }
  }
  if (addresses.size === 0) return { kind: 'failed', reason: 'The sitemap lists no address of its site.' }
  return { kind: 'sitemap', addresses: [...addresses] }
}

async function textOf(client: Client, address: string): Promise<string | { reason: string }> {
  const followed = await follow(client, address, { maxBytes })
  if ('kind' in followed) return followed
  const { status, body } = followed.response
  if (status !== 200) return { reason: `The sitemap answers with the status ${status}.` }
  try {
    const isZipped = body[0] === 0x1f && body[1] === 0x8b
    return (isZipped ? await unzip(body, { maxOutputLength: maxBytes }) : body).toString()
  } catch {
    return { reason: 'The sitemap is damaged, or has more than 50 MiB.' }
  }
}

/** Only addresses are read of the XML: it may be of any depth, and its own entities are not expanded. A plain list of addresses is a sitemap, too. */
function entriesOf(text: string): { isIndex: boolean; found: string[] } {
  const tags = /<(?!image:|video:)(?:\w+:)?loc>([^<]*|\s*<!\[CDATA\[[^\]]*\]\]>\s*)<\//g
  const entries = /^\ufeff?\s*</.test(text)
    ? text.matchAll(tags).map(([, entry]) => entry!)
    : text.split(/\r?\n/).values()
  return {
    isIndex: /<(\w+:)?sitemapindex[\s>]/.test(text.slice(0, 10_000)),
    found: [
      ...entries
        .map(addressOf)
        .filter((address) => URL.canParse(address))
        .take(maxAddresses),
    ],
  }
}

function addressOf(entry: string): string {
  const text = entry.replace(/^\s*<!\[CDATA\[|\]\]>\s*$/g, '').trim()
  const [node] = text.includes('&') ? parseFragment(text).childNodes : []
  return node && 'value' in node ? node.value : text
}

import { posix } from 'node:path'
import type { Block } from '../../../../shared/text/blocks.ts'
import { decodeText } from '../../../../shared/text/decode-text.ts'
import { htmlBlocks } from '../../../../shared/text/html/html.ts'
import { Unreadable } from '../../../../shared/text/unreadable.ts'
import { entriesNamed } from '../zip-package.ts'

const voids = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'wbr'])
const emptyElement = /<([\w:-]+)((?:\s[^<>]*)?)\/>/g

/** The chapters of an EPUB in reading order, without its table of contents. @throws Unreadable */
export async function bookBlocks(file: Buffer): Promise<Block[]> {
  const parts = await entriesNamed(file, /\.(x?html?|xml|opf)$/i)
  const text = (name = '') => (parts.has(name) ? decodeText(parts.get(name)!, 'utf-8') : '')
  // Only fonts may be obfuscated without a key.
  if (text('META-INF/encryption.xml').includes('xmlenc#')) throw new Unreadable('encrypted')
  const path = tags(text('META-INF/container.xml'), 'rootfile')[0]?.get('full-path')
  const book = text(path)
  const items = new Map(tags(book, 'item').map((item) => [item.get('id'), item]))
  const order = tags(book, 'itemref').flatMap((reference) => items.get(reference.get('idref')) ?? [])
  // AbiWord's order names no chapter.
  const chapters = [...new Set(order.length > 0 ? order : items.values())].filter(isChapter)
  if (chapters.length === 0) throw new Unreadable('damaged')
  const names = chapters.map((item) => posix.join(posix.dirname(path!), unescaped(item.get('href') ?? '')))
  const closed = (tag: string, name: string, rest: string) => (voids.has(name) ? tag : `<${name}${rest}></${name}>`)
  return names.flatMap((name) => htmlBlocks(text(name).replace(emptyElement, closed)))
}

function isChapter(item: Map<string, string>): boolean {
  return /html/.test(item.get('media-type') ?? '') && !/\bnav\b/.test(item.get('properties') ?? '')
}

/** The attributes of each element of this name, in any namespace. */
function tags(xml: string, name: string): Map<string, string>[] {
  const found = xml.matchAll(new RegExp(`<(?:[\\w-]+:)?${name}(\\s[^<>]*)>`, 'g'))
  return Array.from(found, ([, attributes]) => {
    const pairs = attributes!.matchAll(/(?<![\w:-])([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
    return new Map(Array.from(pairs, ([, key, double, single]) => [key!, double ?? single!]))
  })
}

function unescaped(href: string): string {
  try {
    return decodeURIComponent(href.replaceAll('&amp;', '&'))
  } catch {
    return href
  }
}

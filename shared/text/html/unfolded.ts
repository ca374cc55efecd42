import { type DefaultTreeAdapterMap, parseFragment } from 'parse5'
import { Unreadable } from '../unreadable.ts'
import { attribute, type Element, isElement, maxDepth, type Node, textOf } from './elements.ts'

/** What a browser shows of elements that keep their text elsewhere than in child nodes. */
const shownInstead: Record<string, (element: Element) => Node[]> = {
  input: (input) => (isFixed(input) && isText(input) ? textNodes(attribute(input, 'value')) : [input]),
  textarea: (area) => (isFixed(area) ? area.childNodes : [area]),
  iframe: (frame) => fragmentOf(attribute(frame, 'srcdoc')),
  noscript: (element) => (/java\s?script/i.test(element.childNodes.map(textOf).join(' ')) ? [] : element.childNodes),
  td: (cell) => namedCell(cell),
  th: (cell) => namedCell(cell),
}
const marksOfFacts = /\d\s?(?:[€$£]|euros?\b|am\b|pm\b|uhr\b|h\b)|[€$£]\s?\d|\d[:.]\d\d/i

/** Puts text where a reader sees it: shadow roots, addresses that a proxy encodes, fixed fields, frames, names of icons. @throws Unreadable */
export function unfold(parent: Element | DefaultTreeAdapterMap['document'], depth = 0): void {
  if (depth > maxDepth) throw new Unreadable('too_complex')
  parent.childNodes = (parent.childNodes as Node[]).flatMap((node) => {
    if (!isElement(node)) return [node]
    const mail = attribute(node, 'data-cfemail')
    if (mail) return textNodes(decodedMail(mail))
    if (node.tagName === 'a' && attribute(node, 'href')?.includes('/cdn-cgi/l/email-protection'))
      node.attrs = node.attrs.filter(({ name }) => name !== 'href')
    const root = node.childNodes.find((child) => isElement(child) && attribute(child, 'shadowrootmode') !== undefined)
    if (root && 'content' in root) node.childNodes = slotted(root.content.childNodes, withoutNode(node, root))
    unfold(node, depth + 1)
    return shownInstead[node.tagName]?.(node) ?? namedPicture(node)
  })
}

/** The nodes of a shadow root, with the element's own children in its slots: each in the first of its name, and taken out of `own`. */
function slotted(shadow: readonly Node[], own: Node[]): Node[] {
  return shadow.flatMap((node) => {
    if (!isElement(node)) return [node]
    if (node.tagName === 'slot') {
      const name = attribute(node, 'name')
      const isFor = (each: Node) => (isElement(each) ? attribute(each, 'slot') : undefined) === name
      const filling = own.filter(isFor)
      own.splice(0, own.length, ...own.filter((each) => !isFor(each)))
      return filling.length > 0 ? filling : node.childNodes
    }
    node.childNodes = slotted(node.childNodes, own)
    return [node]
  })
}

function withoutNode(parent: Element, node: Node): Node[] {
  return parent.childNodes.filter((child) => child !== node)
}

/** A cell that has only icons is what they are called. */
function namedCell(cell: Element): Node[] {
  if (textOf(cell).trim() === '') cell.childNodes = textNodes(namesIn(cell).join(' '))
  return [cell]
}

function namesIn(element: Element): string[] {
  return element.childNodes.filter(isElement).flatMap((child) => {
    const title = child.childNodes.find((node) => isElement(node) && node.tagName === 'title')
    const name = attribute(child, 'aria-label') ?? attribute(child, 'alt') ?? (title && textOf(title))
    return name ? [name] : namesIn(child)
  })
}

/** A picture's description is read where it states a price or a time. */
function namedPicture(node: Element): Node[] {
  const name = node.tagName === 'img' ? (attribute(node, 'alt') ?? '') : ''
  return marksOfFacts.test(name) ? textNodes(` ${name} `) : [node]
}

function isFixed(field: Element): boolean {
  return attribute(field, 'readonly') !== undefined || attribute(field, 'disabled') !== undefined
}

function isText(input: Element): boolean {
  return /^(text|number|tel|email|url|date|time)$/i.test(attribute(input, 'type') ?? 'text')
}

function fragmentOf(html: string | undefined): Node[] {
  return html ? parseFragment(html, { scriptingEnabled: false }).childNodes : []
}

function textNodes(value = ''): Node[] {
  return value === '' ? [] : [{ nodeName: '#text', value, parentNode: null }]
}

/** Cloudflare's code: hexadecimal bytes, each combined with the first by exclusive or. */
function decodedMail(code: string): string {
  const [key = 0, ...bytes] = Buffer.from(code, 'hex')
  return Buffer.from(bytes.map((byte) => byte ^ key)).toString()
}

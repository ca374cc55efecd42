import { Unreadable } from '../unreadable.ts'
import {
  attribute,
  blockNames,
  type Element,
  isElement,
  isHiddenByItself,
  maxDepth,
  type Node,
  textOf,
} from './elements.ts'

/** Landmarks, by role or element. Those of `around` belong to the content only inside the main part. */
const aside = /^(navigation|nav|menu|menubar|search|complementary|aside)$/
const around = /^(banner|header|contentinfo|footer|dialog|alertdialog)$/
/** Consent tools by name: a bakery has a class `cookies`, too. */
const banner =
  /(^|[\s_-])(cookie[-\w]{0,20}(banner|consent|notice|bar|law|popup|modal|dialog|message|info|wall|overlay|settings)|consent[-_]?(banner|modal|manager|popup)|gdpr|onetrust|cookiebot|cybotcookiebot|usercentrics|klaro|iubenda|didomi|osano|borlabs|cmplz|cky|cc-(window|banner)|newsletter[-_]?(popup|modal)|age[-_]?gate)/i
const cart =
  /(mini|side|ajax|drawer|flyout)[-_]{0,2}(cart|basket)|(cart|basket)[-_]{0,2}(drawer|notification|sidebar|dropdown|popup|modal|flyout|items)|widget_shopping_cart/i
const links =
  /(^|[\s_-])(nav|navbar|navigation|menu|mega-?menu|breadcrumbs?|footer|header|topbar|social|share|pagination|sidebar)/i
const skipLink =
  /^\s{0,99}(skip|jump|zum|zur|aller|passer|saltar|ir|vai|naar|hoppa)\s.{0,99}(content|navigation|main|inhalt|contenu|conten|inhoud|innehåll)/i
const price = /[€$£¥₹]\s?\d|\d\s?([€£₹]|kr\b|zł|EUR\b|USD\b|CHF\b)|\b(CHF|EUR|USD|Rs\.?)\s?\d/
const zero = /[€$£]\s?0[.,]00|\b0[.,]00\s?[€£]/g
/** The facts that callers ask for, wherever a page has them: prices, telephone, mail, opening hours, whether prices include tax. */
const contact = [
  /(?:\+|\b0|\(0)\d[\d ()/.-]{6,30}\d|\(?\b\d{3}\)?[ .-]\d{3}[ .-]\d{4}\b/,
  /\d\s*(?:(?:am|pm|uhr|h)\s*)?(?:-|–|—|to|bis|à|until)\s*\d{1,2}\s*(?:[:.h]\d\d|am|pm|uhr|h\b)/i,
  /\S@[^\s@]+\.\w|\b(?:VAT|MwSt|TVA|IVA)\b/i,
]
/** Panels that a reader opens, and parts that a script moves to their places. */
const panel = /tab-?(pane|panel|content)|collaps|accordion|expand|toggle/i
const maxContact = 300
/** No navigation or aside is longer. */
const maxAside = 20_000
/** The length of each node's text before anything is removed. */
const lengths = new WeakMap<Node, number>()

type Page = { main: Element | undefined; half: number }

/** Keeps only a web page's content, the ways to reach the shop, and panels that a reader can open. */
export function keepContent(document: Element): void {
  const opened = new Set<string>()
  visit(document, (element) => {
    for (const name of ['aria-controls', 'href', 'data-target', 'data-bs-target'])
      for (const id of (attribute(element, name) ?? '').split(/\s+/)) opened.add(id.replace(/^#/, ''))
  })
  prune(document, { main: mainOf(document), half: lengthOf(document) / 2 })
  const half = textOf(document).length / 2
  visit(document, (element) => {
    if (isHiddenByItself(element) && isShownLater(element, opened, half))
      element.attrs = element.attrs.filter(({ name }) => name !== 'hidden' && name !== 'style')
  })
}

function isShownLater(element: Element, opened: ReadonlySet<string>, half: number): boolean {
  const id = attribute(element, 'id') ?? ''
  return (
    (id !== '' && opened.has(id)) ||
    /^S:[0-9a-f]+$/.test(id) ||
    /^(tabpanel|region)$/.test(attribute(element, 'role') ?? '') ||
    panel.test(attribute(element, 'class') ?? '') ||
    lengthOf(element) > half
  )
}

function mainOf(document: Element): Element | undefined {
  let [found, longest] = [undefined as Element | undefined, -1]
  visit(document, (element) => {
    if (element.tagName !== 'main' && attribute(element, 'role') !== 'main') return
    if (lengthOf(element) > longest) [found, longest] = [element, lengthOf(element)]
  })
  return found
}

function prune(parent: Element, page: Page, isInside = false): void {
  parent.childNodes = parent.childNodes.flatMap((node): Node[] => {
    if (!isElement(node)) return [node]
    const inside = isInside || node === page.main || (!page.main && /^(article|section)$/.test(node.tagName))
    if (isAround(node, inside) && !isWhole(node, page)) return isOverlay(node) ? [] : contacts(node)
    prune(node, page, inside)
    return [node]
  })
}

/** A class of the whole page says nothing about its parts. */
function isWhole(element: Element, { main, half }: Page): boolean {
  return main ? holds(element, main) : lengthOf(element) > half
}

function holds(element: Element, main: Element): boolean {
  return element === main || element.childNodes.some((node) => isElement(node) && holds(node, main))
}

function isAround(element: Element, isInside: boolean): boolean {
  const its = attribute(element, 'role') ?? element.tagName
  if (isOverlay(element)) return true
  if (lengthOf(element) > maxAside) return !isInside && around.test(its)
  if (aside.test(its)) return !price.test(textOf(element))
  return (!isInside && around.test(its)) || (links.test(nameOf(element)) && isMostlyLinks(element))
}

function isOverlay(element: Element): boolean {
  const name = nameOf(element)
  return (
    banner.test(name) ||
    cart.test(name) ||
    (element.tagName === 'a' && lengthOf(element) < maxContact && skipLink.test(textOf(element)))
  )
}

function nameOf(element: Element): string {
  return `${attribute(element, 'id') ?? ''} ${attribute(element, 'class') ?? ''}`
}

function isMostlyLinks(element: Element): boolean {
  const text = textOf(element)
  let linked = 0
  visit(element, (each) => {
    if (each.tagName === 'a') linked += textOf(each).length
  })
  return linked > text.length * 0.6 && !price.test(text)
}

/** The lines, lists and tables that say how and when to reach the shop, below their headings. */
function contacts(element: Element): Node[] {
  let heading: Element[] = []
  const found: Node[] = []
  const look = (node: Node) => {
    if (isElement(node) && isOverlay(node)) return
    const isUnit = isElement(node) && /^(address|ul|ol|dl|table)$/.test(node.tagName)
    if (isElement(node) && /^h[1-6]$/.test(node.tagName)) heading = [node]
    else if (isElement(node) && !isUnit && node.childNodes.some(isBlock)) node.childNodes.forEach(look)
    else if (saysContact(node)) found.push(...heading.splice(0), node)
    else if (isUnit && isElement(node)) node.childNodes.forEach(look)
  }
  look(element)
  return found
}

function saysContact(node: Node): boolean {
  if (lengthOf(node) > maxContact) return false
  const text = textOf(node)
  return contact.some((mark) => mark.test(text)) || price.test(text.replaceAll(zero, '')) || node.nodeName === 'address'
}

function isBlock(node: Node): boolean {
  return isElement(node) && (blockNames.test(node.tagName) || node.childNodes.some(isBlock))
}

function visit(element: Element, see: (element: Element) => void, depth = 0): void {
  if (depth > maxDepth) throw new Unreadable('too_complex')
  for (const node of element.childNodes)
    if (isElement(node)) {
      see(node)
      visit(node, see, depth + 1)
    }
}

function lengthOf(node: Node): number {
  if (!isElement(node)) return textOf(node).length
  const known = lengths.get(node)
  if (known !== undefined) return known
  const parts = /^(script|style|svg|noscript)$/.test(node.tagName) ? [] : node.childNodes
  const length = parts.reduce((sum, part) => sum + lengthOf(part), 0)
  lengths.set(node, length)
  return length
}

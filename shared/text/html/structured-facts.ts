import { attribute, type Element, elementsOf, isElement, type Node, textOf } from './elements.ts'

type Json = Record<string, unknown>

const shownMetas = new Set(['price', 'lowPrice', 'highPrice', 'telephone', 'email', 'openingHours'])
const maxFacts = 200
const maxDepth = 20

/**
 * Shows what only the page's data for search engines say (schema.org): hours, telephone, mail, prices. Those of JSON-LD stand at the end,
 * those of `meta` elements at their places. What the page shows wins.
 */
export function addStructuredFacts(html: Element): void {
  const body = html.childNodes.find((node): node is Element => isElement(node) && node.tagName === 'body')
  if (!body) return
  const scripts = elementsOf([html]).filter(
    (script) =>
      script.tagName === 'script' && attribute(script, 'type')?.trim().toLowerCase() === 'application/ld+json',
  )
  const shown = plainDigits(textOf(body))
  for (const meta of elementsOf([body])) if (meta.tagName === 'meta') showMeta(meta, shown)
  const facts = new Set(scripts.flatMap((script) => factsOf(parsed(rawText(script)), shown)))
  for (const fact of [...facts].slice(0, maxFacts))
    body.childNodes.push({
      nodeName: 'p',
      tagName: 'p',
      attrs: [],
      namespaceURI: html.namespaceURI,
      parentNode: null,
      childNodes: [{ nodeName: '#text', value: fact, parentNode: null }],
    })
}

function showMeta(meta: Element, shown: string): void {
  const content = text(attribute(meta, 'content'))
  const name = attribute(meta, 'itemprop') ?? ''
  const siblings = meta.parentNode?.childNodes as Node[] | undefined
  if (!siblings || !shownMetas.has(name) || shown.includes(plainDigits(content))) return
  const currency = siblings.find((node) => isElement(node) && attribute(node, 'itemprop') === 'priceCurrency')
  const unit = /price/i.test(name) && currency ? ` ${text(attribute(currency as Element, 'content'))}` : ''
  siblings[siblings.indexOf(meta)] = { nodeName: '#text', value: ` ${content}${unit} `, parentNode: null }
}

/** @param shown the page's text, digits without signs between them */
function factsOf(value: unknown, shown: string, name = '', depth = 0): string[] {
  if (depth > maxDepth || typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.slice(0, maxFacts).flatMap((each) => factsOf(each, shown, name, depth + 1))
  const thing = value as Json
  const own = text(thing.name) || name
  const isShown = (...parts: string[]) => parts.every((part) => part === '' || shown.includes(plainDigits(part)))
  const stated = [
    ...hoursOf(thing)
      .filter(({ times }) => !isShown(...times))
      .map(({ line }) => line),
    ...[text(thing.telephone)].filter((phone) => phone && !isShown(phone)).map((phone) => `Telephone: ${phone}`),
    ...[text(thing.email)]
      .filter((mail) => mail && !isShown(mail))
      .map((mail) => `Mail: ${mail.replace(/^mailto:/, '')}`),
    ...[priceOf(thing)].filter((price) => price && !isShown(price.split(' ')[0]!)).map((price) => `${own}: ${price}`),
  ]
  return [...stated, ...Object.values(thing).flatMap((each) => factsOf(each, shown, own, depth + 1))]
}

function hoursOf({ openingHours, dayOfWeek, opens, closes }: Json): { line: string; times: string[] }[] {
  const plain = [openingHours].flat().map(text).filter(Boolean)
  const days = [dayOfWeek].flat().map((day) => text(day).replace(/^.*\//, ''))
  const times = [text(opens), text(closes)].map((time) => time.replace(/^(\d\d:\d\d):00.*$/, '$1'))
  return [
    ...plain.map((line) => ({ line: `Opening hours: ${line}`, times: [line] })),
    ...(times[0] && times[1] ? [{ line: `${days.join(', ') || 'Opening hours'}: ${times.join(' to ')}`, times }] : []),
  ]
}

function priceOf({ price, lowPrice, highPrice, priceCurrency }: Json): string {
  const [one, low, high] = [price, lowPrice, highPrice].map(text)
  const amount = one || (low && high && low !== high ? `${low} to ${high}` : low || high)
  return amount ? `${amount} ${text(priceCurrency)}`.trim() : ''
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).replace(/\s+/g, ' ').trim().slice(0, 300)
    : ''
}

/** "18,40", "18.40" and "1840" are one, as are forms of a telephone number and of a time. */
function plainDigits(text: string): string {
  return text.toLowerCase().replace(/(?<=[\d+)])[ .,:/()-]{1,4}(?=[\d(])/g, '')
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function rawText(element: Element): string {
  return element.childNodes.map((node) => ('value' in node ? node.value : '')).join('')
}

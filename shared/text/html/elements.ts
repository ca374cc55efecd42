import type { DefaultTreeAdapterTypes } from 'parse5'

export type Node = DefaultTreeAdapterTypes.ChildNode
export type Element = DefaultTreeAdapterTypes.Element

export const maxDepth = 400
export const blockNames =
  /^(address|article|aside|blockquote|body|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h1|h2|h3|h4|h5|h6|header|hgroup|hr|html|legend|li|main|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)$/

export function isElement(node: Node): node is Element {
  return 'tagName' in node
}

export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((entry) => entry.name === name)?.value
}

/** All elements in the order of the page. Walks without recursion, since a page may be nested deeply. */
export function elementsOf(nodes: readonly unknown[]): Element[] {
  const elements: Element[] = []
  const left = (nodes as Node[]).toReversed()
  for (let node = left.pop(); node; node = left.pop()) {
    if (!isElement(node)) continue
    elements.push(node)
    for (const child of node.childNodes.toReversed()) left.push(child)
  }
  return elements
}

/** The text of a node without scripts, styles, drawings and what stands for readers without scripts. */
export function textOf(node: Node): string {
  if (isElement(node))
    return /^(script|style|svg|noscript)$/.test(node.tagName) ? '' : node.childNodes.map(textOf).join('')
  return 'value' in node ? node.value.replace(/\s+/g, ' ') : ''
}

/** The visible children with these names. */
export function elementsIn(parent: Element, ...names: string[]): Element[] {
  return parent.childNodes.filter(
    (node): node is Element => isElement(node) && names.includes(node.tagName) && !isHiddenByItself(node),
  )
}

/** True if its own style strikes its text through, as an old price. */
export function isStruck(element: Element): boolean {
  const declarations = (attribute(element, 'style') ?? '').toLowerCase().split(';')
  return declarations.some((each) => each.trim().startsWith('text-decoration') && each.includes('line-through'))
}

/** True if `hidden` or its own style hides it; style sheets are not read. */
export function isHiddenByItself(element: Element): boolean {
  return (
    attribute(element, 'hidden') !== undefined ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attribute(element, 'style') ?? '')
  )
}

// What later editions of JavaScript have built in: the package for programs runs on Node 20, and changes no global of its process.

/** `Map.groupBy`. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** `!one.isDisjointFrom(other)`. */
export function overlap<Element>(one: ReadonlySet<Element>, other: ReadonlySet<Element>): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  for (const element of few) if (many.has(element)) return true
  return false
}

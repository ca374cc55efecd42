import { plainEscapes } from '../../../shared/websites/address.ts'

interface Group {
  isNamed: boolean
  /** Patterns of paths, and whether each is allowed. */
  rules: Map<string, boolean>
  delay?: number
}

/**
 * Reads a robots.txt for one crawler by RFC 9309: all groups of its name together, or else all of `*`. The longest pattern decides; of two
 * equal ones, the one that allows. A rule is kept once for all names above it, so the costs grow only with the length.
 * @param agent in lower case
 */
export function rulesIn(text: string, agent: string) {
  const [own, all]: [Group, Group] = [
    { isNamed: false, rules: new Map() },
    { isNamed: false, rules: new Map() },
  ]
  const sitemaps: string[] = []
  const named = new Set<Group>()
  let isNaming = false
  for (const line of text.split(/\r\n?|\n/)) {
    const [name = '', ...rest] = line.split('#', 1)[0]!.split(':')
    const [key, value] = [name.trim().toLowerCase(), rest.join(':').trim()]
    if (key === 'user-agent') {
      if (!isNaming) named.clear()
      const agentOf = value.split('/', 1)[0]!.trim().toLowerCase()
      if (agentOf === agent || agentOf === '*') named.add(agentOf === '*' ? all : own)
    }
    if (['user-agent', 'allow', 'disallow', 'crawl-delay'].includes(key)) isNaming = key === 'user-agent'
    if (key === 'sitemap' && value) sitemaps.push(value)
    for (const group of named) {
      group.isNamed = true
      if (key === 'crawl-delay' && value && !Number.isNaN(Number(value))) group.delay = Number(value)
      if ((key !== 'allow' && key !== 'disallow') || !value) continue
      const pattern = plainEscapes(encodeURI(value).replaceAll('%25', '%'))
      group.rules.set(pattern, key === 'allow' || group.rules.get(pattern) === true)
    }
  }
  const { rules, delay } = own.isNamed ? own : all
  const byLength = [...rules]
    .toSorted(([one, first], [other, second]) => other.length - one.length || Number(second) - Number(first))
    .map(([pattern, isAllowed]) => ({
      isAllowed,
      parts: pattern.replace(/\$$/, '').split(/\*+/),
      isWhole: pattern.endsWith('$'),
    }))
  return {
    /** @param path with its query */
    allows: (path: string) => {
      const plain = plainEscapes(path)
      return byLength.find((rule) => covers(rule, plain))?.isAllowed ?? true
    },
    delay,
    sitemaps,
  }
}

/** A part is sought behind the one before, so a path is read once at most. */
function covers({ parts, isWhole }: { parts: string[]; isWhole: boolean }, path: string): boolean {
  let at = 0
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    const isEnd = isWhole && i > 0 && i === parts.length - 1
    const found = i === 0 ? 0 : isEnd ? Math.max(at, path.length - part.length) : path.indexOf(part, at)
    if (found < 0 || !path.startsWith(part, found)) return false
    at = found + part.length
  }
  return !isWhole || at === path.length
}

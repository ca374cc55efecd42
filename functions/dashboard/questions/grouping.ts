import { type Feature, featuresOf, wordingOf } from './features.ts'

/** Questions with the same meaning. The first represents the group; the others keep their given order. */
export type Group<Q> = [Q, ...Q[]]

interface Read {
  features: readonly Feature[]
  /** The terms of all features. */
  terms: ReadonlySet<string>
}

/** `read`: its first wording. */
type Cluster<Q> = { read: Read; wordings: Group<Q>[] }

/** The minimum Dice coefficient of two questions in a group. */
const minLikeness = 0.6

/**
 * Groups questions by subject. The most frequent wording begins a group. Each further wording joins a group whose first
 * wording is alike, or begins its own. The same questions in the same order give the same groups, and the most frequent wordings
 * come first.
 */
export function groupQuestions<Q extends { question: string }>(questions: readonly Q[]): Group<Q>[] {
  const byWording = Map.groupBy(questions, ({ question }) => wordingOf(question)) as Map<string, Group<Q>>
  const clusters: Cluster<Q>[] = []
  /** Most clusters have no term in common with a wording. */
  const byTerm = new Map<string, Cluster<Q>[]>()
  for (const [wording, asked] of [...byWording].toSorted(([, a], [, b]) => b.length - a.length)) {
    const features = featuresOf(wording)
    const read = { features, terms: new Set(features.flat()) }
    const near = new Set([...read.terms].flatMap((term) => byTerm.get(term) ?? []))
    const alike = [...near].find((cluster) => likenessOf(read, cluster.read) >= minLikeness)
    if (alike) alike.wordings.push(asked)
    else {
      const cluster: Cluster<Q> = { read, wordings: [asked] }
      clusters.push(cluster)
      for (const term of read.terms) {
        const known = byTerm.get(term)
        if (known) known.push(cluster)
        else byTerm.set(term, [cluster])
      }
    }
  }
  const order = new Map(questions.map((question, i) => [question, i]))
  const byOrder = (a: Q, b: Q) => order.get(a)! - order.get(b)!
  return clusters.map(({ wordings }): Group<Q> => {
    const [first, ...others] = wordings.flat()
    return [first!, ...others.sort(byOrder)]
  })
}

function likenessOf(one: Read, other: Read): number {
  const shared = sharedWith(one, other) + sharedWith(other, one)
  return shared / (one.features.length + other.features.length)
}

function sharedWith({ features }: Read, { terms }: Read): number {
  return features.filter((feature) => feature.some((term) => terms.has(term))).length
}

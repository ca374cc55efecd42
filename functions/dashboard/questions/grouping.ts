import { kindsIn } from '../../../shared/retrieval/value/kinds.ts'
import { type Feature, featuresOf, wordingOf } from './features.ts'

/** Questions with the same meaning, those of the most frequent wording first. */
export type Group<Q> = [Q, ...Q[]]

interface Read {
  features: readonly Feature[]
  /** The terms of all features. */
  terms: ReadonlySet<string>
  /** A price and an hour of the same thing are two questions. */
  kinds: string
}

/** `read`: its first wording. */
type Cluster<Q> = { read: Read; wordings: Group<Q>[] }

/** The minimum Dice coefficient of two questions in a group. */
const minLikeness = 0.6

/**
 * Groups questions by subject. The most frequent wording begins a group. Each further wording joins a group whose first wording is
 * alike, or begins its own.
 */
export function groupQuestions<Q extends { question: string }>(questions: readonly Q[]): Group<Q>[] {
  const byWording = Map.groupBy(questions, ({ question }) => wordingOf(question)) as Map<string, Group<Q>>
  const clusters: Cluster<Q>[] = []
  /** Most clusters have no term in common with a wording. */
  const byTerm = new Map<string, Cluster<Q>[]>()
  for (const [wording, asked] of [...byWording].toSorted(([, a], [, b]) => b.length - a.length)) {
    const features = featuresOf(wording)
    const read = { features, terms: new Set(features.flat()), kinds: [...kindsIn(wording)].join() }
    const near = new Set([...read.terms].flatMap((term) => byTerm.get(term) ?? []))
    const alike = [...near].find(
      ({ read: first }) => first.kinds === read.kinds && likenessOf(read, first) >= minLikeness,
    )
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
  return clusters.map(({ wordings }) => wordings.flat() as Group<Q>)
}

function likenessOf(one: Read, other: Read): number {
  const shared = sharedWith(one, other) + sharedWith(other, one)
  return shared / (one.features.length + other.features.length)
}

function sharedWith({ features }: Read, { terms }: Read): number {
  return features.filter((feature) => feature.some((term) => terms.has(term))).length
}

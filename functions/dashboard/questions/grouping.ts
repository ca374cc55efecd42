import { type Feature, featuresOf, wordingOf } from './features.ts'

/** Questions with the same meaning. The first represents the group; the others keep their given order. */
export type Group<Q> = [Q, ...Q[]]

interface Cluster<Q> {
  /** The weight of its first wording's features. */
  weight: number
  wordings: Group<Q>[]
}

/** The features of the clusters' first wordings, by their terms. */
type Leading<Q> = Map<string, { feature: Feature; cluster: Cluster<Q> }[]>

/** The minimum Dice coefficient of two questions in a group. */
const minLikeness = 0.6

/**
 * Groups questions by subject with leader clustering (Hartigan 1975). The most frequent wording begins a group. Each further wording
 * joins the group whose first wording is most alike, or begins its own. The same questions in the same order give the same groups,
 * and the most frequent wordings come first.
 */
export function groupQuestions<Q extends { question: string }>(questions: readonly Q[]): Group<Q>[] {
  const byWording = Map.groupBy(questions, ({ question }) => wordingOf(question)) as Map<string, Group<Q>>
  const clusters: Cluster<Q>[] = []
  const leading: Leading<Q> = new Map()
  for (const [wording, asked] of [...byWording].toSorted(([, a], [, b]) => b.length - a.length)) {
    const features = featuresOf(wording)
    const alike = mostAlike(features, leading)
    if (alike) alike.wordings.push(asked)
    else clusters.push(clusterOf(asked, features, leading))
  }
  const order = new Map(questions.map((question, i) => [question, i]))
  const byOrder = (a: Q, b: Q) => order.get(a)! - order.get(b)!
  return clusters.map(({ wordings }): Group<Q> => {
    const [first, ...others] = wordings.flat()
    return [first!, ...others.sort(byOrder)]
  })
}

/** Begins a cluster with the wording. */
function clusterOf<Q>(asked: Group<Q>, features: readonly Feature[], leading: Leading<Q>): Cluster<Q> {
  const cluster = { weight: weightOf(features), wordings: [asked] }
  for (const feature of features)
    for (const term of feature.terms) {
      const others = leading.get(term)
      if (others) others.push({ feature, cluster })
      else leading.set(term, [{ feature, cluster }])
    }
  return cluster
}

/** The first of the clusters whose first wordings are most alike. It compares only those with a term in common: most have none. */
function mostAlike<Q>(features: readonly Feature[], leading: Leading<Q>): Cluster<Q> | undefined {
  const shared = new Map<Cluster<Q>, number>()
  const met = new Set<Feature>()
  const add = (cluster: Cluster<Q>, weight: number) => shared.set(cluster, (shared.get(cluster) ?? 0) + weight)
  for (const { terms, weight } of features) {
    const found = terms.flatMap((term) => leading.get(term) ?? [])
    for (const cluster of new Set(found.map(({ cluster }) => cluster))) add(cluster, weight)
    for (const { feature, cluster } of found) {
      if (!met.has(feature)) add(cluster, feature.weight)
      met.add(feature)
    }
  }
  const own = weightOf(features)
  const likenesses = [...shared].map(([cluster, weight]) => [cluster, weight / (own + cluster.weight)] as const)
  const most = Math.max(minLikeness, ...likenesses.map(([, likeness]) => likeness))
  return likenesses.find(([, likeness]) => likeness >= most)?.[0]
}

function weightOf(features: readonly Feature[]): number {
  return features.reduce((sum, { weight }) => sum + weight, 0)
}

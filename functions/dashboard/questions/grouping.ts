import { type Feature, featuresOf, wordingOf } from './features.ts'

/** Questions with the same meaning. The first represents the group; the others keep their given order. */
export type Group<Q> = [Q, ...Q[]]

interface Wording<Q> {
  features: Feature[]
  questions: Group<Q>
}

/** The minimum Dice coefficient of two questions in a group. */
const minLikeness = 0.6

/**
 * Groups questions by subject with leader clustering (Hartigan 1975). The most frequent wording begins a group. Each further wording
 * joins the group whose first wording is most alike, or begins its own. The same questions in the same order give the same groups,
 * and the most frequent wordings come first.
 */
export function groupQuestions<Q extends { question: string }>(questions: readonly Q[]): Group<Q>[] {
  const byWording = Map.groupBy(questions, ({ question }) => wordingOf(question))
  const wordings = [...byWording].map(
    ([wording, questions]): Wording<Q> => ({ features: featuresOf(wording), questions: questions as Group<Q> }),
  )
  const groups: Wording<Q>[][] = []
  for (const wording of wordings.toSorted((a, b) => b.questions.length - a.questions.length)) {
    const alike = groups
      .map((group) => ({ group, likeness: likenessOf(wording.features, group[0]!.features) }))
      .filter(({ likeness }) => likeness >= minLikeness)
      .sort((a, b) => b.likeness - a.likeness)[0]
    if (alike) alike.group.push(wording)
    else groups.push([wording])
  }
  const order = new Map(questions.map((question, i) => [question, i]))
  const byOrder = (a: Q, b: Q) => order.get(a)! - order.get(b)!
  return groups.map((wordings): Group<Q> => {
    const [first, ...others] = wordings.flatMap(({ questions }) => questions)
    return [first!, ...others.sort(byOrder)]
  })
}

function likenessOf(one: Feature[], other: Feature[]): number {
  const shared = sharedWith(other, one) + sharedWith(one, other)
  return shared / (weightOf(one) + weightOf(other))
}

function sharedWith(others: Feature[], features: Feature[]): number {
  const terms = new Set(others.flatMap(({ terms }) => terms))
  return weightOf(features.filter((feature) => feature.terms.some((term) => terms.has(term))))
}

function weightOf(features: Feature[]): number {
  return features.reduce((sum, { weight }) => sum + weight, 0)
}

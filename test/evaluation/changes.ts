import type { Figures, ModeFigures } from './figures.ts'

export interface Change<T> {
  mode: string
  /** A figure's name, such as `all answerable, hit@1`, or a question's id. */
  name: string
  before: T
  now: T
}

export interface Changes {
  /** The higher the better, each. */
  figures: Change<number>[]
  /** The ranks of the right passages: null if not found. */
  ranks: Change<number | null>[]
}

/** The figures and ranks that both runs have and that differ. */
export function changesBetween(before: Figures, now: Figures): Changes {
  const figures = [
    ...differences(before, now, namedFigures),
    ...shareDifferences('shops', before, now),
    ...shareDifferences('moments', before, now),
    ...shareDifferences('places', before, now),
  ]
  return { figures, ranks: differences(before, now, ({ ranks }) => ranks) }
}

function shareDifferences(
  kind: 'shops' | 'moments' | 'places',
  { [kind]: before }: Figures,
  { [kind]: now }: Figures,
): Change<number>[] {
  return Object.entries(now ?? {}).flatMap(([half, shares]) =>
    Object.entries(shares).flatMap(([name, share]) => {
      const earlier = before?.[half as keyof typeof before]?.[name]
      return earlier === undefined || earlier === share
        ? []
        : [{ mode: `${kind} to ${half}`, name, before: earlier, now: share }]
    }),
  )
}

export function isWorse({ before, now }: Change<number | null>): boolean {
  return before !== null && (now === null || now > before)
}

function differences<T>(before: Figures, now: Figures, named: (mode: ModeFigures) => Record<string, T>): Change<T>[] {
  return Object.entries(now.modes).flatMap(([mode, figures]) => {
    const earlier = before.modes[mode as keyof Figures['modes']]
    const known = new Map(earlier && Object.entries(named(earlier)))
    return Object.entries(named(figures))
      .filter(([name, value]) => known.has(name) && known.get(name) !== value)
      .map(([name, value]) => ({ mode, name, before: known.get(name)!, now: value }))
  })
}

function namedFigures({ groups, auc, levels }: ModeFigures): Record<string, number> {
  const named = Object.entries(groups).flatMap(([group, { questions, hit1, hit5, mrr }]): [string, number][] => [
    [`${group}, hit@1`, hit1 / questions],
    [`${group}, hit@5`, hit5 / questions],
    [`${group}, MRR`, mrr],
  ])
  const shares = Object.entries({ AUC: auc, ...levels }).flatMap(([name, share]) =>
    share === null ? [] : [[name, share]],
  )
  return Object.fromEntries([...named, ...shares])
}

/** The text of a document in one round: each of its chunks names both. */
export const textOf = (document: number, round: number) =>
  Array.from({ length: 4 }, (_, i) => `# Part ${i}\n\nThe ferry ${document} of round ${round} leaves at ${i}.`).join(
    '\n\n',
  )

/** The rounds that each document has in an answer; several mean that its revisions were mixed. */
export function roundsIn(contents: readonly string[]): Map<number, Set<string>> {
  const rounds = new Map<number, Set<string>>()
  for (const content of contents)
    for (const [, document, round] of content.matchAll(/ferry (\d+) of round (\d+)/g))
      rounds.set(Number(document), (rounds.get(Number(document)) ?? new Set()).add(round!))
  return rounds
}

/** How many requests of a kind were answered with a status. */
type Statuses = Map<string, number>

/** What a file of tests has sent, and how it was answered. */
export class Tally {
  readonly #statuses = new Map<string, Statuses>()

  count(what: string, kind: string, status: number): void {
    const key = `${kind} ${status}`
    const statuses = this.#statuses.get(what) ?? new Map()
    this.#statuses.set(what, statuses.set(key, (statuses.get(key) ?? 0) + 1))
  }

  print(): void {
    const lines = [...this.#statuses].map(([what, statuses]) => {
      const sorted = [...statuses].sort().map(([answer, times]) => `${answer}: ${times}`)
      return `${what.padEnd(20)} ${sum(statuses)} requests · ${sorted.join(', ')}`
    })
    const all = [...this.#statuses.values()].reduce((total, statuses) => total + sum(statuses), 0)
    console.info(`${lines.join('\n')}\n${all} requests in all`)
  }
}

function sum(statuses: Statuses): number {
  return [...statuses.values()].reduce((total, times) => total + times, 0)
}

export interface Slots {
  isFree(functionName: string): boolean
  /** Undefined when none is free. @returns a function that releases the slot */
  take(functionName: string): (() => void) | undefined
}

/** Of these one function may have three quarters: one that hangs leaves room for the others. */
export function slotsFor(count: number): Slots {
  const maxOfOne = Math.ceil(0.75 * count)
  const taken = new Map<string, number>()
  let all = 0
  const takenBy = (functionName: string) => taken.get(functionName) ?? 0
  const isFree = (functionName: string) => all < count && takenBy(functionName) < maxOfOne
  const add = (functionName: string, change: 1 | -1) => {
    all += change
    taken.set(functionName, takenBy(functionName) + change)
  }
  return {
    isFree,
    take(functionName) {
      if (!isFree(functionName)) return undefined
      add(functionName, 1)
      return () => add(functionName, -1)
    },
  }
}

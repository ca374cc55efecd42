export interface Request {
  functionName: string
  /** Who sends it, as far as the gateway can tell. */
  caller: string
}

export interface Slots {
  isFree(request: Request): boolean
  /** Undefined when none is free. @returns a function that releases the slot */
  take(request: Request): (() => void) | undefined
}

/** A caller may have so many times what it leaves free to others: three quarters, if it is alone. */
const shareOfFree = 3

/**
 * Of these one function may have three quarters: one that hangs leaves room for the others. What a caller may have of a function's
 * shrinks as they are taken (a dynamic threshold: Choudhury and Hahne, 1998): one that sends all it can leaves room for the others too.
 */
export function slotsFor(count: number): Slots {
  const maxOfOne = Math.ceil(0.75 * count)
  const taken = new Map<string, number>()
  let all = 0
  const takenBy = (holder: string) => taken.get(holder) ?? 0
  const keyOf = ({ functionName, caller }: Request) => `${functionName} ${caller}`
  const isFree = (request: Request) => {
    const free = Math.min(count - all, maxOfOne - takenBy(request.functionName))
    return takenBy(keyOf(request)) < shareOfFree * free
  }
  const add = (request: Request, change: 1 | -1) => {
    all += change
    for (const holder of [request.functionName, keyOf(request)]) {
      const left = takenBy(holder) + change
      if (left > 0) taken.set(holder, left)
      else taken.delete(holder)
    }
  }
  return {
    isFree,
    take(request) {
      if (!isFree(request)) return undefined
      add(request, 1)
      return () => add(request, -1)
    },
  }
}

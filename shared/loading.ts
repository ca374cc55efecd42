const begun: Promise<unknown>[] = []

/** Starts work while a module loads, so that its first request does not wait for it. Whoever uses the result sees a failure. */
export function beginEarly(work: Promise<unknown>): void {
  begun.push(work.catch(() => {}))
}

/** A handler's module waits for this, so that the work runs in Lambda's init phase: at full CPU speed, and not cut off by a freeze. */
export async function loaded(): Promise<void> {
  await Promise.all(begun)
}

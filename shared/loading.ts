const begun: Promise<unknown>[] = []

/** Begins, while a module loads, what its first request would otherwise wait for. Its user finds out whether it has failed. */
export function beginEarly(work: Promise<unknown>): void {
  begun.push(work.catch(() => {}))
}

/**
 * A handler's module that waits for this as it loads has the work done in Lambda's init phase: at the full speed of a CPU,
 * which an invocation has in proportion to its memory, and not cut off by the freeze that may follow.
 */
export async function loaded(): Promise<void> {
  await Promise.all(begun)
}

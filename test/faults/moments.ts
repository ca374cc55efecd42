/** Resolves when so many events of the kind have been dispatched from now on. */
export function after(events: EventTarget, kind: 'sent' | 'answered' | 'embedding', count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let left = count
  const hear = () => {
    if (--left > 0) return
    events.removeEventListener(kind, hear)
    resolve()
  }
  events.addEventListener(kind, hear)
  return promise
}

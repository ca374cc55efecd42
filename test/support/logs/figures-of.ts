import { type Figures, figures } from '../../../shared/telemetry/metrics.ts'

/** All figures reported while `act` runs, added up. */
export async function figuresOf(act: () => Promise<unknown>): Promise<Figures> {
  const sums: Record<string, number> = {}
  const add = (message: unknown) => {
    for (const [name, value] of Object.entries(message as Figures)) sums[name] = (sums[name] ?? 0) + (value ?? 0)
  }
  figures.subscribe(add)
  await act().finally(() => figures.unsubscribe(add))
  return sums
}

import { vi } from 'vitest'
import { log } from '../../../shared/telemetry/log.ts'

/** Everything written to the log while `act` runs, at every level, and everything passed to `keep`. */
export async function gathered(act: (keep: (said: unknown) => void) => Promise<unknown>): Promise<string> {
  const all: string[] = []
  const write = (chunk: unknown) => {
    all.push(String(chunk))
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(write)
  vi.spyOn(process.stderr, 'write').mockImplementation(write)
  const level = log.getLevelName()
  log.setLogLevel('DEBUG')
  await act((said) => all.push(JSON.stringify(said) ?? '')).finally(() => {
    log.setLogLevel(level)
    vi.restoreAllMocks()
  })
  return all.join('\n')
}

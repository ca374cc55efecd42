import { statfs } from 'node:fs/promises'
import { messageOf } from '../error-message.ts'
import { help, InvalidSettings, readSettings } from './settings.ts'

const maxShutdownMilliseconds = 5_000

if (!process.env.EMBEDDING_BASE_URL) process.env.EMBEDDING_MODEL ||= 'encoder'

let dataDir: string | undefined
try {
  const settings = await readSettings(process.argv.slice(2), process.env)
  if (settings) {
    dataDir = settings.dataDir
    const signal = interruption()
    console.log(`Starting Cuecard in ${dataDir} …`)
    // Loaded after validation, because its modules read the settings when they load.
    const { serve } = await import('./serve.ts')
    await serve(settings, signal)
  } else console.log(help)
  process.exit(0)
} catch (error) {
  const hasEnded = (error as Error).name === 'Ended'
  const faults = error instanceof InvalidSettings ? error.faults : [messageOf(error)]
  if (dataDir && !hasEnded && (await isDiskFull(dataDir)))
    faults.splice(0, 1, `the disk of ${dataDir} is full: make room on it, and start again`)
  const what = hasEnded ? 'Cuecard has ended' : 'Could not start Cuecard'
  for (const fault of faults) console.error(`${what}: ${fault}`)
  process.exit(1)
}

async function isDiskFull(directory: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize < 1_000_000
}

/** Ctrl-C and SIGTERM abort it; the process ends within five more seconds. Ignores later signals, because npm repeats Ctrl-C. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) return
    console.log('\nShutting down …')
    setTimeout(() => process.exit(0), maxShutdownMilliseconds).unref()
    controller.abort()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}

import { messageOf } from './error-message.ts'
import { interruption } from './interruption.ts'
import { help, InvalidSettings, readSettings } from './settings.ts'

try {
  const settings = await readSettings(process.argv.slice(2), process.env)
  if (settings) {
    const signal = interruption()
    console.log(`Starting Cuecard in ${settings.dataDir} …`)
    // Loaded when the settings are known to be valid: its modules read them, and fail as a Lambda's do.
    const { serve } = await import('./serve.ts')
    await serve(settings, signal)
  } else console.log(help)
  process.exit(0)
} catch (error) {
  const faults = error instanceof InvalidSettings ? error.faults : [messageOf(error)]
  const what = (error as Error).name === 'Ended' ? 'Cuecard has ended' : 'Could not start Cuecard'
  for (const fault of faults) console.error(`${what}: ${fault}`)
  process.exit(1)
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The script behind a package's command. */
export function commandOf(name, command) {
  const directory = join(import.meta.dirname, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  return join(directory, typeof bin === 'string' ? bin : bin[command])
}

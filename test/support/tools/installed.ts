import { existsSync } from 'node:fs'
import { join } from 'node:path'

export function isInstalled(command: string): boolean {
  return (process.env.PATH ?? '').split(':').some((directory) => existsSync(join(directory, command)))
}

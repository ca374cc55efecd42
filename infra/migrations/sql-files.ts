import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads the SQL files of a folder beside this one, only the named ones in their order if there are names. */
export function readFolder(folder: string, names = namesIn(folder)): string[] {
  return names.map((name) => readFileSync(join(import.meta.dirname, folder, `${name}.sql`), 'utf8'))
}

function namesIn(folder: string): string[] {
  return readdirSync(join(import.meta.dirname, folder))
    .map((file) => file.replace('.sql', ''))
    .sort()
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The bytes of a file in the folder `fixtures`. */
export const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name))

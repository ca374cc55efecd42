import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashedFiles } from '../../shared/http/hashed-files.ts'
import { vendored } from './vendored.ts'

/** The folder of the assets. A bundle keeps the packages' files there too. */
const folder = join(import.meta.dirname, 'assets')
const styles = ['base.css', 'frame.css', 'parts.css', 'documents.css', 'tables.css', 'ask.css', 'sign-in.css']

function read(name: string): string {
  const beside = join(folder, name)
  if (existsSync(beside)) return readFileSync(beside, 'utf8')
  return readFileSync(fileURLToPath(import.meta.resolve(vendored[name as keyof typeof vendored])), 'utf8')
}

/** Puts Pico in its own layer, so that our rules win over its selectors, however specific these are. */
function source(name: string): string {
  if (name !== 'dashboard.css') return read(name)
  return [`@layer pico{${read('pico.css').replace('@charset "UTF-8";', '')}}`, ...styles.map(read)].join('\n')
}

const names = [...readdirSync(folder), ...Object.keys(vendored)].filter((name) => !name.endsWith('.css'))
export const assets = hashedFiles([...names, 'dashboard.css'], source)

export function assetPath(name: string): string {
  return `/dashboard/assets/${assets.nameOf(name)}`
}

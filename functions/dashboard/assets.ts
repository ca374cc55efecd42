import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Context } from 'hono'
import { type Asset, assetResponder, briefly, immutable } from '../../shared/http/asset.ts'
import { vendored } from './vendored.ts'

/** In a bundle, this folder holds the files of packages, too. */
const folder = join(import.meta.dirname, 'assets')

const mediaTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

interface NamedAsset extends Asset {
  /** Contains a hash of the body, so that browsers may cache it forever: `dashboard-1a2b3c4d5e6f.css`. */
  fileName: string
}

type Respond = (c: Context) => Response

function read(name: string): string {
  const beside = join(folder, name)
  if (existsSync(beside)) return readFileSync(beside, 'utf8')
  return readFileSync(fileURLToPath(import.meta.resolve(vendored[name as keyof typeof vendored])), 'utf8')
}

const styles = ['base.css', 'frame.css', 'parts.css', 'documents.css', 'ask.css', 'sign-in.css']

/** Pico is in a layer of its own, so that our rules win, however specific its selectors are. */
function source(name: string): string {
  if (name !== 'dashboard.css') return read(name)
  return [`@layer pico{${read('pico.css').replace('@charset "UTF-8";', '')}}`, ...styles.map(read)].join('\n')
}

const known = new Map<string, NamedAsset>()

/** A module imports the others under their own names with a hash. @throws Error for an unknown name */
function load(name: string): NamedAsset {
  const loaded = known.get(name)
  if (loaded) return loaded
  const body = source(name).replaceAll(/(?<=from ?['"]\.\/)[\w-]+\.js(?=['"])/g, (imported) => load(imported).fileName)
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
  const [base, type] = name.split('.') as [string, string]
  const asset = { mediaType: mediaTypes[type]!, body, fileName: `${base}-${hash}.${type}` }
  known.set(name, asset)
  return asset
}

/** All that a screen may load, by name: `dashboard.css`. */
const names = [...readdirSync(folder).filter((name) => !name.endsWith('.css')), 'htmx.js', 'dashboard.css']
const responders = new Map<string, { fileName: string; current: Respond; other: Respond }>(
  names
    .map(load)
    .map((asset, i) => [
      names[i]!,
      { fileName: asset.fileName, current: assetResponder(asset, immutable), other: assetResponder(asset, briefly) },
    ]),
)

/** The address of a file in `assets`. @throws Error for an unknown name */
export function assetPath(name: string): string {
  const asset = responders.get(name)
  if (!asset) throw new Error(`There is no file ${name} in functions/dashboard/assets`)
  return `/dashboard/assets/${asset.fileName}`
}

/** A page from before a deployment asks for its version's files and gets the current ones, cached briefly. */
export function respondAsset(c: Context): Response | undefined {
  const fileName = c.req.param('file') ?? ''
  const asset = responders.get(fileName.replace(/-[0-9a-f]{12}(?=\.\w+$)/, ''))
  return asset && (asset.fileName === fileName ? asset.current : asset.other)(c)
}

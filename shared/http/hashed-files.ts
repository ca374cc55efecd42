import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { assetResponder, briefly, immutable } from './asset.ts'

const mediaTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

interface HashedFile {
  hashedName: string
  current: (c: Context) => Response
  other: (c: Context) => Response
}

/** Files of a page, each under a name with a hash of its body, which browsers may cache forever: `page-1a2b3c4d5e6f.css`. */
export function hashedFiles(names: readonly string[], read: (name: string) => string) {
  const named = new Set(names)
  const known = new Map<string, HashedFile>()

  /** Reads a file when it is first requested. A module imports the others under their hashed names. */
  function load(name: string): HashedFile {
    const loaded = known.get(name)
    if (loaded) return loaded
    const body = read(name).replaceAll(
      /(?<=(?:from ?|import\()['"]\.\/)[\w-]+\.js(?=['"])/g,
      (other) => load(other).hashedName,
    )
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
    const [base, type] = name.split('.') as [string, string]
    const asset = { mediaType: mediaTypes[type]!, body }
    const current = assetResponder(asset, immutable)
    const file = { hashedName: `${base}-${hash}.${type}`, current, other: assetResponder(asset, briefly) }
    known.set(name, file)
    return file
  }

  return {
    nameOf(name: string): string {
      if (!named.has(name)) throw new Error(`There is no file ${name}`)
      return load(name).hashedName
    },
    /** A page from before a deployment asks for its version's files and gets the current ones, cached briefly. */
    respond(c: Context, hashedName: string): Response | undefined {
      const name = hashedName.replace(/-[0-9a-f]{12}(?=\.\w+$)/, '')
      if (!named.has(name)) return undefined
      const file = load(name)
      return (file.hashedName === hashedName ? file.current : file.other)(c)
    },
  }
}

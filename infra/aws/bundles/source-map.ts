import { readFile, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'

interface SourceMap {
  version: 3
  sources: string[]
  names: string[]
  mappings: string
}

/**
 * Rewrites a bundle's source map. Sources get their paths in the repository, so that a stack trace reads `/shared/telemetry/log.ts:12:3`.
 * Packages, most of a bundle, keep only the start of each file, because Node.js reads the whole map while a Lambda starts.
 */
export async function rewriteSourceMap(file: string, root: string): Promise<void> {
  const { sources, names, mappings }: SourceMap = JSON.parse(await readFile(file, 'utf8'))
  const paths = sources.map((source) => `/${relative(root, resolve(dirname(file), source)).replaceAll(sep, '/')}`)
  const isPackage = paths.map((path) => path.includes('/node_modules/'))
  const known = new Map<string, number>()
  let before: number | undefined
  const isKept = ([, source]: SourceMapSegment) => {
    const isNext = source !== before
    before = source
    return isNext || source === undefined || !isPackage[source]
  }
  const renamed = (segment: SourceMapSegment): SourceMapSegment => {
    if (segment.length !== 5) return segment
    const [column, source, line, place, name] = segment
    if (isPackage[source]) return [column, source, line, place]
    const text = names[name]!
    if (!known.has(text)) known.set(text, known.size)
    return [column, source, line, place, known.get(text)!]
  }
  const kept = decode(mappings).map((line) => line.filter(isKept).map(renamed))
  const map: SourceMap = { version: 3, sources: paths, names: [...known.keys()], mappings: encode(kept) }
  await writeFile(file, JSON.stringify(map))
}

import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { digestOf } from './parts.ts'

const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))

/** Replaced last, once all its parts are there. */
const manifestSchema = v.strictObject({
  /** The SHA-256 of the agent's address and the key: a folder may have been used with others. */
  owner: sha256,
  /** When the whole snapshot was loaded, in milliseconds of the epoch. */
  loadedAt: v.number(),
  /** The SHA-256 of each part, in their order. */
  parts: v.pipe(v.array(sha256), v.minLength(1)),
})

export type Cache = ReturnType<typeof folderCache>

const manifestName = 'manifest.json'

/**
 * The parts of an agent's snapshot in a folder, as the service sent them. A part's file has its checksum as name and never changes, and the
 * manifest is replaced at once: after a crash it names the parts before or after. Several processes may use a folder.
 */
export function folderCache(folder: string, agentId: string, { url, key }: { url: string; key: string }) {
  const directory = join(folder, agentId)
  const owner = digestOf(Buffer.from(`${url} ${key}`), 'hex')
  let parts: string[] = []
  let loadedAt = 0

  async function writeFiles(files: readonly (readonly [name: string, content: Uint8Array | string])[]): Promise<void> {
    for (const [name, content] of files) {
      const temporary = join(directory, `${name}.${process.pid}.tmp`)
      await writeFile(temporary, content, { mode: 0o600, flush: true })
      await rename(temporary, join(directory, name))
    }
  }

  return {
    /** When the whole snapshot was loaded, in milliseconds of the epoch. */
    get loadedAt() {
      return loadedAt
    },
    /** @returns the parts; undefined if there are none, or if one of them is missing or damaged */
    async read(): Promise<Buffer[] | undefined> {
      try {
        const manifest: unknown = JSON.parse(await readFile(join(directory, manifestName), 'utf8'))
        if (!v.is(manifestSchema, manifest) || manifest.owner !== owner) return undefined
        const bodies = await Promise.all(manifest.parts.map((name) => readFile(join(directory, name))))
        if (!bodies.every((body, i) => digestOf(body, 'hex') === manifest.parts[i])) return undefined
        parts = manifest.parts
        loadedAt = manifest.loadedAt
        return bodies
      } catch (error) {
        if (error instanceof SyntaxError || isMissing(error)) return undefined
        throw error
      }
    },
    /** @param isWhole true for a whole snapshot, which replaces all parts */
    async add(bodies: readonly Uint8Array[], isWhole: boolean): Promise<void> {
      if (isWhole) loadedAt = Date.now()
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const added = bodies.map((body) => [digestOf(body, 'hex'), body] as const)
      parts = [...(isWhole ? [] : parts), ...added.map(([name]) => name)]
      await writeFiles([...added, [manifestName, JSON.stringify({ owner, loadedAt, parts })]])
      if (!isWhole) return
      const kept = new Set([manifestName, ...parts])
      const others = (await readdir(directory)).filter((name) => !kept.has(name))
      for (const name of others) await rm(join(directory, name), { force: true })
    },
    async remove(): Promise<void> {
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOENT', 'EISDIR'].includes(String(error.code))
}

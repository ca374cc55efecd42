import { createHash } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { ignoreMissing } from '../../error-message.ts'

export interface StoredFile {
  bytes: number
  eTag: string
  modified: Date
  read(): ReadStream
}

/** Stores files by key. A hash names each file, because a key may be too long for a name. A second file has the key and the ETag. */
export class FileFolder {
  readonly #directory: string

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async open(directory: string): Promise<FileFolder> {
    await rm(join(directory, 'drafts'), { recursive: true, force: true })
    await mkdir(join(directory, 'drafts'), { recursive: true })
    return new FileFolder(directory)
  }

  async find(key: string): Promise<StoredFile | undefined> {
    const path = this.#pathOf(key)
    const found = await stat(path).catch(ignoreMissing)
    if (!found) return undefined
    const { eTag } = await readLabel(`${path}.json`)
    return { bytes: found.size, eTag, modified: found.mtime, read: () => createReadStream(path) }
  }

  async list(prefix: string): Promise<string[]> {
    const labels = (await readdir(this.#directory)).filter((name) => name.endsWith('.json'))
    const keys = await Promise.all(labels.map(async (name) => (await readLabel(join(this.#directory, name))).key))
    return keys.filter((key) => key.startsWith(prefix)).sort()
  }

  /** Reads all of `content`, writes at most `maxBytes` of it to the disk, and keeps the file if `isAccepted` returns true for its size. */
  async store(key: string, content: Readable, maxBytes: number, isAccepted: (bytes: number) => boolean) {
    const draft = join(this.#directory, 'drafts', crypto.randomUUID())
    const md5 = createHash('md5')
    let bytes = 0
    const file = await open(draft, 'wx')
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        bytes += chunk.length
        if (bytes > maxBytes) continue
        md5.update(chunk)
        await file.writeFile(chunk)
      }
    } catch (error) {
      // On a full disk, the draft would take space that others need.
      await rm(draft, { force: true })
      throw error
    } finally {
      await file.close()
    }
    const eTag = `"${md5.digest('hex')}"`
    if (isAccepted(bytes)) {
      const path = this.#pathOf(key)
      await writeFile(`${path}.json`, JSON.stringify({ key, eTag }))
      await rename(draft, path)
    } else await rm(draft)
    return { bytes, eTag }
  }

  async delete(key: string): Promise<void> {
    const path = this.#pathOf(key)
    await rm(path, { force: true })
    await rm(`${path}.json`, { force: true })
  }

  #pathOf(key: string): string {
    return join(this.#directory, createHash('sha256').update(key).digest('hex'))
  }
}

async function readLabel(path: string): Promise<{ key: string; eTag: string }> {
  return JSON.parse(await readFile(path, 'utf8'))
}

import { createHash } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

export interface StoredFile {
  bytes: number
  modified: Date
  read(): ReadStream
}

/** Files by key, each in a file of its own, whose name is a hash: a key may be longer than a name may be. */
export class FileFolder {
  readonly #directory: string

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async open(directory: string): Promise<FileFolder> {
    // What a killed process was writing.
    await rm(join(directory, 'drafts'), { recursive: true, force: true })
    await mkdir(join(directory, 'drafts'), { recursive: true })
    return new FileFolder(directory)
  }

  async find(key: string): Promise<StoredFile | undefined> {
    const path = this.#pathOf(key)
    const found = await stat(path).catch(ignoreMissing)
    return found && { bytes: found.size, modified: found.mtime, read: () => createReadStream(path) }
  }

  /** Reads all of `content`, and keeps it under `key` if `isAccepted` says so of its size; never more of it than `maxBytes`. */
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
      // On a full disk it would keep the room that others need.
      await rm(draft, { force: true })
      throw error
    } finally {
      await file.close()
    }
    if (isAccepted(bytes)) await rename(draft, this.#pathOf(key))
    else await rm(draft)
    return { bytes, eTag: md5.digest('hex') }
  }

  async delete(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true })
  }

  #pathOf(key: string): string {
    return join(this.#directory, createHash('sha256').update(key).digest('hex'))
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

import type { extractText } from '../../functions/extraction/text/extract-text.ts'
import type { Bucket, StoredFile } from '../../shared/files/bucket.ts'
import type { FileType } from '../../shared/files/file-types.ts'
import { Unreadable } from '../../shared/text/unreadable.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { reach } from './process.ts'

/** A file with this in it is at fault for good. */
export const unreadable = 'unreadable'

/** Files by key, as S3 keeps them. */
export class SimulatedBucket implements Pick<Bucket, 'get' | 'delete' | 'list'> {
  readonly files = new Map<string, string>()

  get(key: string): Promise<StoredFile | undefined> {
    const read = () => {
      const file = this.files.get(key)
      return Promise.resolve(file === undefined ? undefined : { bytes: Buffer.from(file), eTag: 'its own' })
    }
    return reach('bucket', read, lost)
  }

  list(prefix: string): Promise<string[]> {
    return Promise.resolve([...this.files.keys()].filter((key) => key.startsWith(prefix)))
  }

  delete(keys: readonly string[]): Promise<void> {
    const remove = () => {
      for (const key of keys) this.files.delete(key)
      return Promise.resolve()
    }
    return reach('bucket', remove, lost)
  }
}

/** Reads a file as text, unless it kills the process. */
export const simulatedExtraction: typeof extractText = (file) =>
  reach(
    'extraction',
    () => {
      const text = `${file}`
      if (text.includes(unreadable)) return Promise.reject(new Unreadable('damaged'))
      if (!/[a-z]/.test(text)) return Promise.reject(new Unreadable('no_text'))
      return Promise.resolve({ text, sourceType: typeOf(text) })
    },
    () => new Error('The child process died'),
  )

export const typeOf = (text: string): FileType => (text.includes('amber') ? 'csv' : 'txt')

const lost = () => new Unavailable('file_storage', new Error('connection lost'))

import { createHash } from 'node:crypto'
import { type Bucket, FileOverwritten, FileTooLarge } from '../../../shared/files/bucket.ts'

/** A bucket in memory, for tests of reads and deletions. */
export function memoryBucket() {
  const files = new Map<string, Buffer>()
  const bucket: Pick<Bucket, 'get' | 'delete' | 'list'> = {
    get(key, maxBytes, eTag) {
      const bytes = files.get(key)
      if (!bytes) return Promise.resolve(undefined)
      if (bytes.length > maxBytes) return Promise.reject(new FileTooLarge(key))
      const file = { bytes, eTag: createHash('md5').update(bytes).digest('hex') }
      return eTag && eTag !== file.eTag ? Promise.reject(new FileOverwritten(key)) : Promise.resolve(file)
    },
    list: (prefix) => Promise.resolve([...files.keys()].filter((key) => key.startsWith(prefix)).slice(0, 1000)),
    delete(keys) {
      for (const key of keys) files.delete(key)
      return Promise.resolve()
    },
  }
  return { ...bucket, files }
}

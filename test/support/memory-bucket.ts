import { type Bucket, FileTooLarge } from '../../shared/files/bucket.ts'

/** A bucket that keeps its files in memory, for tests of what is read and deleted. */
export function memoryBucket() {
  const files = new Map<string, Buffer>()
  const bucket: Pick<Bucket, 'get' | 'delete'> = {
    get(key, maxBytes) {
      const file = files.get(key)
      return file && file.length > maxBytes ? Promise.reject(new FileTooLarge(key)) : Promise.resolve(file)
    },
    delete(keys) {
      for (const key of keys) files.delete(key)
      return Promise.resolve()
    },
  }
  return { ...bucket, files }
}

import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as v from 'valibot'
import { output, start } from './child.ts'

/** Where backups are: files by their names, with slashes. */
export interface Store {
  /**
   * Of a content that fails something incomplete may be left.
   * @param maxBytes roughly; of a content that may have more than 50 GB
   */
  put(name: string, content: Readable, maxBytes?: number): Promise<void>
  get(name: string): Readable
  list(): Promise<string[]>
}

/** @param address `s3://bucket/prefix`, by the `aws` command with its credentials, or a directory */
export function openStore(address: string): Store {
  return address.startsWith('s3://') ? s3Store(address.replace(/\/$/, '')) : directoryStore(address)
}

function directoryStore(directory: string): Store {
  return {
    async put(name, content) {
      const file = join(directory, name)
      const draft = `${file}.part`
      await mkdir(dirname(file), { recursive: true })
      await pipeline(content, createWriteStream(draft, { mode: 0o600 }))
      await rename(draft, file)
    },
    get: (name) => createReadStream(join(directory, name)),
    async list() {
      const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch((error) => {
        throw error.code === 'ENOENT' ? new Error(`no such directory: ${directory}`) : error
      })
      return entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith('.part'))
        .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
        .toSorted()
    },
  }
}

const listing = v.pipe(v.string(), v.parseJson(), v.nullable(v.array(v.string())))

function s3Store(address: string): Store {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.+))?$/.exec(address)!
  const base = prefix === '' ? '' : `${prefix}/`
  return {
    async put(name, content, maxBytes = 0) {
      // S3 takes 10,000 parts: the command makes them as large as this needs.
      const upload = start('aws', ['s3', 'cp', '-', `${address}/${name}`, '--expected-size', `${maxBytes}`])
      upload.stdout.resume()
      await Promise.all([upload.ended, pipeline(content, upload.stdin)])
    },
    get(name) {
      const download = start('aws', ['s3', 'cp', `${address}/${name}`, '-'])
      download.stdin.end()
      const content = new PassThrough()
      void Promise.all([pipeline(download.stdout, content, { end: false }), download.ended]).then(
        () => content.end(),
        (error) => content.destroy(error),
      )
      return content
    },
    async list() {
      const query = ['--query', 'Contents[].Key', '--output', 'json']
      const printed = await output('aws', ['s3api', 'list-objects-v2', '--bucket', bucket!, '--prefix', base, ...query])
      return (v.parse(listing, printed) ?? []).map((key) => key.slice(base.length)).toSorted()
    },
  }
}

import { copyFile, mkdir, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runProgram } from '../run-program.ts'

/** Keeps files by name, in `s3://BUCKET/PREFIX` (by the `aws` command) or in a directory. Stores a file whole or not at all. */
export interface Store {
  put(file: string, name: string): Promise<void>
  get(name: string, file: string): Promise<void>
  list(): Promise<string[]>
}

export function openStore(address: string): Store {
  return address.startsWith('s3://') ? s3Store(address.replace(/\/$/, '')) : directoryStore(address)
}

function directoryStore(directory: string): Store {
  return {
    async put(file, name) {
      const target = join(directory, name)
      await mkdir(dirname(target), { recursive: true })
      await copyFile(file, `${target}.part`)
      await rename(`${target}.part`, target)
    },
    get: (name, file) => copyFile(join(directory, name), file),
    async list() {
      const names = await readdir(directory).catch((error) => {
        throw error.code === 'ENOENT' ? new Error(`no such directory: ${directory}`) : error
      })
      return names.filter((name) => !name.endsWith('.part')).toSorted()
    },
  }
}

function s3Store(address: string): Store {
  const copy = async (from: string, to: string) =>
    void (await runProgram('aws', ['s3', 'cp', from, to, '--no-progress']))
  return {
    put: (file, name) => copy(file, `${address}/${name}`),
    get: (name, file) => copy(`${address}/${name}`, file),
    async list() {
      const lines = (await runProgram('aws', ['s3', 'ls', `${address}/`])).split('\n')
      return lines.flatMap((line) => /^\S+ \S+ +\d+ (.+)$/.exec(line)?.[1] ?? []).toSorted()
    },
  }
}

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

interface Platform {
  os: string
  cpu: string
  libc: string
}

export const lambdaPlatform: Platform = { os: 'linux', cpu: 'arm64', libc: 'glibc' }

const root = join(import.meta.dirname, '../../..')
const cache = join(root, '.local/native-packages')

interface LockedPackage {
  version: string
  optionalDependencies?: Record<string, string>
}
interface Lock {
  lockfileVersion: number
  packages: Record<string, LockedPackage | undefined>
}

/**
 * Installs packages of package-lock.json with native code for `platform` into `directory/node_modules`; this machine's own
 * node_modules have the code for this machine only. An installation is kept, so that later bundling needs no network.
 */
export async function addNativePackages(
  directory: string,
  names: readonly string[],
  platform: Platform,
): Promise<void> {
  if (names.length === 0) return
  const installed = await install(await lockOf(names), names, platform)
  await cp(join(installed, 'node_modules'), join(directory, 'node_modules'), {
    recursive: true,
    filter: (path) => !/[\\/](\.bin|\.package-lock\.json)$/.test(path),
  })
}

async function lockOf(names: readonly string[]): Promise<Lock> {
  const whole: Lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const packages: Lock['packages'] = {}
  for (const name of names) {
    const entry = whole.packages[`node_modules/${name}`]
    if (!entry) throw new Error(`package-lock.json has no package '${name}'`)
    for (const wanted of [name, ...Object.keys(entry.optionalDependencies ?? {})])
      packages[`node_modules/${wanted}`] = whole.packages[`node_modules/${wanted}`]
  }
  return { lockfileVersion: whole.lockfileVersion, packages }
}

async function install(lock: Lock, names: readonly string[], { os, cpu, libc }: Platform): Promise<string> {
  const dependencies = Object.fromEntries(names.map((name) => [name, lock.packages[`node_modules/${name}`]!.version]))
  const text = JSON.stringify({ ...lock, packages: { '': { dependencies }, ...lock.packages } })
  const name = [os, cpu, libc, createHash('sha256').update(text).digest('hex').slice(0, 16)].join('-')
  const finished = join(cache, name)
  if (existsSync(finished)) return finished
  const unfinished = join(cache, `${name}.${process.pid}`)
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  await writeFile(join(unfinished, 'package.json'), JSON.stringify({ private: true, dependencies }))
  await writeFile(join(unfinished, 'package-lock.json'), text)
  await promisify(execFile)(
    'npm',
    ['ci', `--os=${os}`, `--cpu=${cpu}`, `--libc=${libc}`, '--ignore-scripts', '--no-audit', '--no-fund'],
    { cwd: unfinished, shell: process.platform === 'win32' },
  )
  rejectMissingCode(unfinished, names, lock, { os, cpu, libc })
  await rename(unfinished, finished).catch(async (error) => {
    if (!existsSync(finished)) throw error
    await rm(unfinished, { recursive: true })
  })
  return finished
}

/** npm silently skips an optional package that it cannot get. */
function rejectMissingCode(directory: string, names: readonly string[], lock: Lock, platform: Platform): void {
  for (const name of names) {
    const { optionalDependencies = {} } = lock.packages[`node_modules/${name}`]!
    const found = Object.keys(optionalDependencies).some((part) => existsSync(join(directory, 'node_modules', part)))
    if (!found) throw new Error(`npm has installed no code of '${name}' for ${Object.values(platform).join(' ')}`)
  }
}

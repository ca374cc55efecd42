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

const lambdaPlatform: Platform = { os: 'linux', cpu: 'arm64', libc: 'glibc' }

const root = join(import.meta.dirname, '../../..')
const cache = join(root, '.local/native-packages')

interface Lock {
  lockfileVersion: number
  packages: Record<string, { version: string; optionalDependencies?: Record<string, string> }>
}

/**
 * Installs a package of package-lock.json with native code for `platform` into `directory/node_modules`, because this machine's own
 * node_modules have only its own code. Keeps an installation, so that later bundling needs no network.
 */
export async function addNativePackage(directory: string, name: string, platform = lambdaPlatform): Promise<void> {
  await cp(join(await install(name, platform), 'node_modules'), join(directory, 'node_modules'), {
    recursive: true,
    filter: (path) => !/[\\/](\.bin|\.package-lock\.json)$/.test(path),
  })
}

async function install(name: string, { os, cpu, libc }: Platform): Promise<string> {
  const { lockfileVersion, packages }: Lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const { version, optionalDependencies = {} } = packages[`node_modules/${name}`]!
  const dependencies = { [name]: version }
  const parts = Object.keys(optionalDependencies)
  const locked = [name, ...parts].map((each) => [`node_modules/${each}`, packages[`node_modules/${each}`]])
  const text = JSON.stringify({ lockfileVersion, packages: { '': { dependencies }, ...Object.fromEntries(locked) } })
  const finished = join(cache, [os, cpu, libc, createHash('sha256').update(text).digest('hex').slice(0, 16)].join('-'))
  if (existsSync(finished)) return finished
  const unfinished = `${finished}.${process.pid}`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  await writeFile(join(unfinished, 'package.json'), JSON.stringify({ private: true, dependencies }))
  await writeFile(join(unfinished, 'package-lock.json'), text)
  const platform = [`--os=${os}`, `--cpu=${cpu}`, `--libc=${libc}`]
  const options = { cwd: unfinished, shell: process.platform === 'win32' }
  await promisify(execFile)('npm', ['ci', ...platform, '--ignore-scripts', '--no-audit', '--no-fund'], options)
  // npm silently skips an optional package that it cannot get.
  if (!parts.some((part) => existsSync(join(unfinished, 'node_modules', part))))
    throw new Error(`npm has installed no code of '${name}' for ${os} ${cpu} ${libc}`)
  await rename(unfinished, finished).catch(async (error) => {
    if (!existsSync(finished)) throw error
    await rm(unfinished, { recursive: true })
  })
  return finished
}

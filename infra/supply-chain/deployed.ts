import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BundleName, bundleAll } from '../aws/bundles/bundle.ts'

/** As package-lock.json has it. */
export interface LockedPackage {
  version: string
  license?: string
  integrity?: string
  resolved?: string
  hasInstallScript?: true
  inBundle?: true
}
export type Lock = Readonly<Record<string, LockedPackage>>

export interface DeployedPackage {
  name: string
  version: string
  /** In the words of SPDX. */
  licence: string
  integrity: string | undefined
  lambdas: BundleName[]
}

/** That SPDX does not have. */
const otherNames: Readonly<Record<string, string>> = { 'BSD-0-Clause': '0BSD' }

const root = join(import.meta.dirname, '../..')

export async function readLock(): Promise<Lock> {
  return JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')).packages
}

/** What really is in the bundles, which is a part of what is installed: esbuild says whose code it has put in. */
export async function deployedPackages(lock: Lock): Promise<DeployedPackage[]> {
  const directory = await mkdtemp(join(tmpdir(), 'cuecard-supply-chain-'))
  const bundles = Object.entries(await bundleAll(directory))
  await rm(directory, { recursive: true })
  const found = new Map<string, DeployedPackage>()
  for (const [lambda, { packages }] of bundles) {
    for (const key of packages) {
      const known = found.get(key) ?? describe(key, lock)
      found.set(key, { ...known, lambdas: [...known.lambdas, lambda as BundleName] })
    }
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

function describe(key: string, lock: Lock): DeployedPackage {
  const locked = lock[key]
  if (!locked) throw new Error(`package-lock.json has no ${key}, which is in a bundle`)
  const { version, license = '', integrity } = locked
  return { name: nameOf(key), version, licence: otherNames[license] ?? license, integrity, lambdas: [] }
}

/** Of the innermost package of a path. */
export function nameOf(key: string): string {
  return key.replace(/^.*node_modules\//, '')
}

import { type StdioOptions, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Copies a folder, and installs what its package-lock.json says into the copy unless it is there. Not in place: tests and
 * mutations walk the whole of test/. @throws Error when npm fails
 */
export function copyWithPackages(source: string, copy: string, progress: (text: string) => void): void {
  const lock = 'package-lock.json'
  const stamp = join(copy, 'node_modules/.cuecard-lock')
  const wanted = readFileSync(join(source, lock), 'utf8')
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
  cpSync(source, copy, { recursive: true })
  if (isInstalled) return
  progress('installing packages (npm ci) …')
  const options = { cwd: copy, stdio: ['ignore', process.stderr.fd, 'inherit'] as StdioOptions, shell: true }
  const { status } = spawnSync('npm ci --no-audit --no-fund --no-json --ignore-scripts', options)
  if (status !== 0) throw new Error(`the packages of ${source} could not be installed`)
  writeFileSync(stamp, wanted)
}

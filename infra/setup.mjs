// Installs the packages of package-lock.json that node_modules lacks; with --omit=dev without those that only tests, checks and
// deployments need, which are most. Runs before every npm script that needs packages, on any Node from 20 on: hence plain
// JavaScript, without imports of ours.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const stamp = new URL('node_modules/.cuecard-lock', root)
const all = createHash('sha256')
  .update(readFileSync(new URL('package-lock.json', root)))
  .digest('hex')
const withoutDev = `${all} --omit=dev`

const omitsDev = process.argv.includes('--omit=dev')
const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
if (installed !== all && !(omitsDev && installed === withoutDev)) {
  // What is there may be in use by a system that runs: packages are added to it, where `npm ci` would remove them first.
  const install = installed === withoutDev ? 'npm install --no-save' : `npm ci${omitsDev ? ' --omit=dev' : ''}`
  // On stderr, npm's output too: a program may read the stdout of the script that follows.
  console.error(`Installing packages (${install}) …`)
  const { status } = spawnSync(`${install} --no-audit --no-fund`, {
    cwd: root,
    stdio: ['inherit', process.stderr.fd, 'inherit'],
    shell: true,
  })
  if (status !== 0) process.exit(status ?? 1)
  // 68 MB of headers and manuals: the package `node` has linked the program out of it, and npm would prune it next time.
  rmSync(new URL('node_modules/node/node_modules', root), { recursive: true, force: true })
  writeFileSync(stamp, omitsDev ? withoutDev : all)
}

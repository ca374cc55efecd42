// Installs packages when node_modules does not match package-lock.json. Runs before every npm script that needs packages,
// on any Node from 20 on: hence plain JavaScript, without imports of ours.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const stamp = new URL('node_modules/.cuecard-lock', root)
const expected = createHash('sha256')
  .update(readFileSync(new URL('package-lock.json', root)))
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== expected) {
  // On stderr, npm's output too: a program may read the stdout of the script that follows.
  console.error('Installing packages (npm ci) …')
  const { status } = spawnSync('npm ci --no-audit --no-fund --no-json', {
    cwd: root,
    stdio: ['inherit', process.stderr.fd, 'inherit'],
    shell: true,
  })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, expected)
}

// Brings node_modules in step with package-lock.json; does nothing when it is. Runs before every npm script that
// needs packages, on whatever Node the machine has (20 or later): plain JavaScript, no imports of ours.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const stamp = new URL('node_modules/.cuecard-lock', root)
const wanted = createHash('sha256')
  .update(readFileSync(new URL('package-lock.json', root)))
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  // On stderr, npm's words too: stdout belongs to the script that follows, and may be read by a program.
  console.error('Installing packages (npm ci) …')
  const { status } = spawnSync('npm ci --no-audit --no-fund --no-json', {
    cwd: root,
    stdio: ['inherit', process.stderr.fd, 'inherit'],
    shell: true,
  })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, wanted)
}

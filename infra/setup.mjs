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
  console.log('Installing packages (npm ci) …')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: 'inherit', shell: true })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, wanted)
}

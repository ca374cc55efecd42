// Runs a command with the Node of package-lock.json, after installing the packages that are missing:
// `node infra/run.mjs [--omit=dev] [command …]`. Plain JavaScript that any Node from 20 on runs.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const stamp = `${root}node_modules/.cuecard-lock`
const omitsDev = process.argv[2] === '--omit=dev'

install()
const [command, ...args] = process.argv.slice(omitsDev ? 3 : 2)
if (command) run()

function install() {
  const all = createHash('sha256')
    .update(readFileSync(`${root}package-lock.json`))
    .digest('hex')
  const withoutDev = `${all} --omit=dev`
  const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
  if (installed === all || (omitsDev && installed === withoutDev)) return
  // Installed packages may be in use, by a running system for example: `npm ci` would remove them first.
  const present = existsSync(`${root}node_modules/.package-lock.json`)
  const npm = present ? 'npm install --no-save' : `npm ci${omitsDev ? ' --omit=dev' : ''}`
  // All on stderr: a program may read the command's stdout.
  console.error(`Installing packages (${npm}) …`)
  const { status } = spawnSync(`${npm} --no-audit --no-fund`, {
    cwd: root,
    stdio: ['inherit', process.stderr.fd, 'inherit'],
    // Else a npm that does not read `allowScripts` lets it download code for graphics cards.
    env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' },
    shell: true,
  })
  if (status !== 0) process.exit(status ?? 1)
  // 68 MB of headers and manuals that the package `node` does not need to run.
  rmSync(`${root}node_modules/node/node_modules`, { recursive: true, force: true })
  writeFileSync(stamp, omitsDev && !present ? withoutDev : all)
}

function run() {
  const PATH = `${root}node_modules/.bin${delimiter}${process.env.PATH}`
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, PATH } })
  // The terminal sends Ctrl-C to the command too, which ends in its own time.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.once('error', ({ message }) => {
    console.error(`Cannot run ${command}: ${message}`)
    process.exit(1)
  })
  child.once('close', (code) => process.exit(code ?? 1))
}

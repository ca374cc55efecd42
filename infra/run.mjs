// Runs a command with the Node of package-lock.json, after installing the packages that are missing:
// `node infra/run.mjs [--omit=dev] [command …]`. Plain JavaScript that any Node from 20 on runs.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const stamp = `${root}node_modules/.cuecard-lock`
const lockFile = `${root}.local/installing`
const omitsDev = process.argv[2] === '--omit=dev'

const { platform, arch } = process
const nothing = /^$/
/** The parts that are used of some large packages; the others are removed. The Lambdas run Linux on arm64. */
const usedParts = {
  // Only headers and manuals.
  'node/node_modules': nothing,
  '@picocss/pico': /^(package\.json|LICENSE.*|css)$/,
  '@picocss/pico/css': /^pico\.min\.css$/,
  '@tesseract.js-data/deu': /^(package\.json|4\.0\.0_best_int)$/,
  '@tesseract.js-data/eng': /^(package\.json|4\.0\.0_best_int)$/,
  'gpt-tokenizer': /^(package\.json|LICENSE|data|esm)$/,
  'gpt-tokenizer/data': /^cl100k/,
  'gpt-tokenizer/esm/bpeRanks': /^cl100k/,
  'onnxruntime-node/bin/napi-v6': new RegExp(`^(linux|${platform})$`),
  'onnxruntime-node/bin/napi-v6/linux': platform === 'linux' ? new RegExp(`^(arm64|${arch})$`) : /^arm64$/,
  ...(platform !== 'linux' && { [`onnxruntime-node/bin/napi-v6/${platform}`]: new RegExp(`^${arch}$`) }),
  'tesseract.js-core': /^(package\.json|LICENSE|.*relaxedsimd-lstm\.(js|wasm))$/,
}
/** npm installs TypeScript even without development packages, because it is an optional peer of valibot. */
const usedWithoutDev = { typescript: nothing, '@typescript': nothing }

install()
const [command, ...args] = process.argv.slice(omitsDev ? 3 : 2)
if (command) run()

function install() {
  const all = createHash('sha256')
    .update(readFileSync(`${root}package-lock.json`))
    .digest('hex')
  const withoutDev = `${all} --omit=dev`
  const isInstalled = () => {
    const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
    return installed === all || (omitsDev && installed === withoutDev)
  }
  if (isInstalled()) return
  lock()
  const status = isInstalled() ? 0 : installPackages(all, withoutDev)
  rmSync(lockFile)
  if (status !== 0) process.exit(status ?? 1)
}

/** Waits until no other process installs packages here: two at a time would remove each other's files. */
function lock() {
  mkdirSync(`${root}.local`, { recursive: true })
  for (let waits = false; !attempt(() => writeFileSync(lockFile, `${process.pid}`, { flag: 'wx' }), 'EEXIST'); ) {
    const holder = Number(attempt(() => readFileSync(lockFile, 'utf8'), 'ENOENT'))
    // A lock with this process's id is of an earlier one, such as before a container's restart.
    if (holder === process.pid || (holder && !attempt(() => process.kill(holder, 0), 'ESRCH')))
      rmSync(lockFile, { force: true })
    else if (!waits) console.error(`Waiting for another start to install packages (see ${lockFile}) …`)
    waits = true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
}

/** @returns the result, or true without one; undefined after an error with this code */
function attempt(work, expectedCode) {
  try {
    return work() ?? true
  } catch (error) {
    if (error.code !== expectedCode) throw error
  }
}

/** @returns the exit code of npm */
function installPackages(all, withoutDev) {
  // `npm ci` would first remove the installed packages, which a running system may be using.
  const present = existsSync(`${root}node_modules/.package-lock.json`)
  const npm = present ? 'npm install --no-save' : `npm ci${omitsDev ? ' --omit=dev' : ''}`
  // Prints only to stderr, because a program may read the command's stdout.
  console.error(`Installing packages (${npm}) …`)
  const { status } = spawnSync(`${npm} --no-audit --no-fund`, {
    cwd: root,
    stdio: ['inherit', process.stderr.fd, 'inherit'],
    // Otherwise, an npm that ignores `allowScripts` lets it download code for graphics cards.
    env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' },
    shell: true,
  })
  if (status !== 0) return status
  const isSmall = omitsDev && !present
  for (const [folder, used] of Object.entries(isSmall ? { ...usedParts, ...usedWithoutDev } : usedParts)) {
    const path = `${root}node_modules/${folder}`
    for (const name of existsSync(path) ? readdirSync(path) : [])
      if (!used.test(name)) rmSync(`${path}/${name}`, { recursive: true })
  }
  writeFileSync(stamp, isSmall ? withoutDev : all)
  return 0
}

function run() {
  const PATH = `${root}node_modules/.bin${delimiter}${process.env.PATH}`
  // Otherwise, glibc keeps larger and larger freed blocks: 150 MB of the memory of `npm start`.
  const env = { MALLOC_MMAP_THRESHOLD_: `${2 ** 20}`, ...process.env, PATH }
  const child = spawn(command, args, { stdio: 'inherit', env })
  // The terminal also sends Ctrl-C to the command, which ends in its own time.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.once('error', ({ message }) => {
    console.error(`Cannot run ${command}: ${message}`)
    process.exit(1)
  })
  child.once('close', (code) => process.exit(code ?? 1))
}

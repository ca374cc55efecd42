// Runs a command with the Node of package-lock.json, after installing the packages that are missing:
// `node infra/run.mjs [--omit=dev] [command …]`. Plain JavaScript that any Node from 20 on runs.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const stamp = `${root}node_modules/.cuecard-lock`
const omitsDev = process.argv[2] === '--omit=dev'

const { platform, arch } = process
const nothing = /^$/
/** What is used of the folders of packages with much that nothing here reads; the Lambdas are Linux on arm64. */
const usedParts = {
  // Headers and manuals.
  'node/node_modules': nothing,
  // For pictures of PDFs outside a browser.
  '@napi-rs': /^(?!canvas)/,
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
  'pdfjs-dist': /^(package\.json|LICENSE|legacy|wasm)$/,
  'pdfjs-dist/legacy/build': /^pdf(\.worker)?\.min\.mjs$/,
  'tesseract.js-core': /^(package\.json|LICENSE|.*relaxedsimd-lstm\.(js|wasm))$/,
}
/** npm installs it without development packages, too: it is an optional peer of valibot. */
const usedWithoutDev = { typescript: nothing, '@typescript': nothing }

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
  const isSmall = omitsDev && !present
  for (const [folder, used] of Object.entries(isSmall ? { ...usedParts, ...usedWithoutDev } : usedParts)) {
    const path = `${root}node_modules/${folder}`
    for (const name of existsSync(path) ? readdirSync(path) : [])
      if (!used.test(name)) rmSync(`${path}/${name}`, { recursive: true })
  }
  writeFileSync(stamp, isSmall ? withoutDev : all)
}

function run() {
  const PATH = `${root}node_modules/.bin${delimiter}${process.env.PATH}`
  // Else glibc keeps ever larger freed blocks for itself: 150 MB of what `npm start` holds.
  const env = { MALLOC_MMAP_THRESHOLD_: `${2 ** 20}`, ...process.env, PATH }
  const child = spawn(command, args, { stdio: 'inherit', env })
  // The terminal sends Ctrl-C to the command too, which ends in its own time.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.once('error', ({ message }) => {
    console.error(`Cannot run ${command}: ${message}`)
    process.exit(1)
  })
  child.once('close', (code) => process.exit(code ?? 1))
}

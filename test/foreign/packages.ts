import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'

const root = join(import.meta.dirname, '../..')
/** The folder is outside node_modules, where tsc treats every file as a package's, and outside test/, which tests walk. */
const installed = join(root, '.local/foreign')

/** The time limit of one command, ten times the time on an idle machine. */
const secondsAtMost = 300

/**
 * Installs what test/foreign/package-lock.json says, unless it is there, and copies a folder of programs beside it.
 * @returns the copy, whose programs find the packages @throws Error when npm fails
 */
export function withForeignPackages(source: string, name: string): string {
  const stamp = join(installed, 'node_modules/.cuecard-lock')
  const wanted = readFileSync(join(import.meta.dirname, 'package-lock.json'), 'utf8')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      cpSync(join(import.meta.dirname, file), join(installed, file))
    console.error('installing packages (npm ci) …')
    const { status } = spawnSync('npm ci --no-audit --no-fund --no-json --ignore-scripts', {
      cwd: installed,
      stdio: ['ignore', process.stderr.fd, 'inherit'],
      shell: true,
    })
    if (status !== 0) throw new Error('the packages of test/foreign could not be installed')
    writeFileSync(stamp, wanted)
  }
  const copy = join(installed, name)
  cpSync(source, copy, { recursive: true })
  return copy
}

export interface Command {
  /** The working directory. */
  directory: string
  /** The program, from those packages or ours, and its arguments, separated by single spaces. */
  command: string
  environment?: Record<string, string>
}

/** @returns what the command printed @throws Error with that, when it fails */
export async function run({ directory, command, environment = {} }: Command): Promise<string> {
  const [program, ...args] = command.split(' ')
  const path = [join(installed, 'node_modules/.bin'), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const child = spawn(program!, args, {
    cwd: directory,
    env: { ...process.env, ...environment, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 1000 * secondsAtMost,
  })
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`${command} failed\n${output}${errors}`)
  return output
}

/** Prints one line with the outcome, time and result of the work. A failure also sets this process's exit code. */
export async function report(title: string, work: () => Promise<string>): Promise<void> {
  const started = performance.now()
  const [sign, outcome] = await work().then(
    (done) => ['✓', done] as const,
    (error: Error) => ['✗', error.message] as const,
  )
  if (sign === '✗') process.exitCode = 1
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${sign} ${title} (${seconds} s): ${outcome.trimEnd()}`)
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'

const ownPrograms = join(import.meta.dirname, '../../node_modules/.bin')

/** Of one command; a machine with nothing else to do takes a tenth of it. */
const secondsAtMost = 300

/**
 * Copies a folder, and installs what its package-lock.json says into the copy unless it is there. Not in place: tests walk
 * the whole of test/. @throws Error when npm fails
 */
export function copyWithPackages(source: string, copy: string, progress: (text: string) => void): void {
  const lock = 'package-lock.json'
  const stamp = join(copy, 'node_modules/.cuecard-lock')
  const wanted = readFileSync(join(source, lock), 'utf8')
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
  cpSync(source, copy, { recursive: true })
  if (isInstalled) return
  progress('installing packages (npm ci) …')
  const { status } = spawnSync('npm ci --no-audit --no-fund --no-json --ignore-scripts', {
    cwd: copy,
    stdio: ['ignore', process.stderr.fd, 'inherit'],
    shell: true,
  })
  if (status !== 0) throw new Error(`the packages of ${source} could not be installed`)
  writeFileSync(stamp, wanted)
}

export interface Command {
  /** Where its packages are, and where it runs. */
  directory: string
  /** The program, of those packages or of ours, and its arguments, separated by single spaces. */
  command: string
  environment?: Record<string, string>
}

export function start({ directory, command, environment = {} }: Command): ChildProcess {
  const [program, ...args] = command.split(' ')
  const path = [join(directory, 'node_modules/.bin'), ownPrograms, process.env.PATH].join(delimiter)
  return spawn(program!, args, {
    cwd: directory,
    env: { ...process.env, ...environment, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 1000 * secondsAtMost,
  })
}

/** @returns what the command printed @throws Error with that, when it fails */
export async function run(command: Command): Promise<string> {
  const child = start(command)
  const [output, errors, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')])
  if (code !== 0) throw new Error(`${command.command} failed\n${output}${errors}`)
  return output
}

/** Prints a line: whether the work was done, how long it took, and what it returned. A failure is the exit code of this process too. */
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

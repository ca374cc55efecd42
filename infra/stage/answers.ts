import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { CommandError } from '../command-line/command-error.ts'
import type { Terminal } from '../command-line/terminal.ts'

/** Answers by name. An empty one counts as missing. */
export type Answers = Record<string, string | undefined>

/** @param file a file with lines NAME=value, which override the environment; `-` is standard input */
export async function answersIn(terminal: Terminal, file: string | undefined): Promise<Answers> {
  const lines = file === undefined ? '' : await (file === '-' ? text(terminal.stdin) : readFile(file, 'utf8'))
  const given = Object.entries({ ...terminal.env, ...parseEnv(lines) })
  return Object.fromEntries(given.map(([name, value]) => [name, value?.trim() || undefined]))
}

/** Prompts for missing secrets at a terminal. @throws CommandError that names all of them if there is no terminal */
export async function secretsFrom<Name extends string>(
  terminal: Terminal,
  answers: Answers,
  texts: Record<Name, string>,
): Promise<Record<Name, string>> {
  const entries = Object.entries<string>(texts)
  const missing = entries.filter(([name]) => answers[name] === undefined)
  if (missing.length > 0 && terminal.stdin.isTTY !== true)
    throw missingError(missing.map(([name, meaning]) => `${name} (${meaning})`))
  const found: Record<string, string> = {}
  for (const [name, meaning] of entries) found[name] = answers[name] ?? (await prompt(terminal, `${meaning}: `, true))
  return found
}

export const missingError = (names: readonly string[]) =>
  new CommandError(`set in the environment or in the file of --answers: ${names.join('; ')}`)

async function prompt({ stdin, stderr }: Terminal, label: string, isSecret?: true): Promise<string> {
  if (isSecret) stderr.write(label)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: isSecret ? silent : stderr, terminal: true })
  const interrupted = new Promise<never>((_, reject) => {
    lines.once('SIGINT', () => reject(new CommandError('interrupted')))
    lines.once('close', () => reject(new CommandError('the input ended')))
  })
  try {
    return (await Promise.race([lines.question(isSecret ? '' : label), interrupted])).trim()
  } finally {
    lines.close()
    if (isSecret) stderr.write('\n')
  }
}

/** Asks for confirmation. @throws CommandError if there is no terminal, or for any other answer */
export async function confirm(
  terminal: Terminal,
  question: string,
  option: string,
  expected = /^y(es)?$/i,
): Promise<void> {
  if (terminal.stdin.isTTY !== true) throw new CommandError(`there is no terminal to ask at: pass ${option}`)
  if (!expected.test(await prompt(terminal, `${question} `))) throw new CommandError('nothing was changed')
}

import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import * as v from 'valibot'
import { CommandError } from '../admin/command-error.ts'
import type { Terminal } from '../admin/terminal.ts'

export interface Question {
  /** The variable that answers it where nobody is asked. */
  name: string
  text: string
  /** Neither echoed nor quoted. */
  isSecret?: true
  /** What an empty answer means. */
  fallback?: string
  /** What is wrong with an answer. */
  check?: (answer: string) => string | undefined | Promise<string | undefined>
}

export type Ask = (question: Question) => Promise<string>

/** The check of an answer by its schema. */
export function by(schema: v.GenericSchema<string>): NonNullable<Question['check']> {
  return (answer) => v.safeParse(schema, answer).issues?.[0].message
}

/**
 * Takes answers from `file`, of lines NAME=value (`-` is standard input), from the environment, and otherwise from the person at the
 * terminal. The function throws CommandError for a missing answer, and for a wrong one that nobody typed.
 */
export async function answersFrom(terminal: Terminal, file: string | undefined): Promise<Ask> {
  const lines = file === undefined ? '' : await (file === '-' ? text(terminal.stdin) : readFile(file, 'utf8'))
  const given = { ...terminal.env, ...parseEnv(lines) }
  const isAttended = terminal.stdin.isTTY === true && file !== '-'
  return async ({ name, text: question, isSecret, fallback, check }) => {
    const isGiven = given[name]?.trim()
    for (;;) {
      const typed = isGiven || (isAttended ? await prompt(terminal, labelOf(question, fallback), isSecret) : '')
      const answer = typed || fallback
      if (answer === undefined && !isAttended) throw new CommandError(`${name} is not set (${question})`)
      const fault = answer === undefined ? 'is needed' : answer && (await check?.(answer))
      if (!fault) return answer!
      if (isGiven || !isAttended) throw new CommandError(`${name}: ${fault}`)
      terminal.stderr.write(`Not accepted: ${fault}.\n`)
    }
  }
}

const labelOf = (question: string, fallback: string | undefined) =>
  fallback === undefined ? `${question}: ` : `${question} [${fallback || 'none'}]: `

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

/** Asks for a word that lets the command go on. @throws CommandError where nobody can be asked, and for any other answer */
export async function confirm(
  terminal: Terminal,
  question: string,
  option: string,
  expected = /^y(es)?$/i,
): Promise<void> {
  if (terminal.stdin.isTTY !== true) throw new CommandError(`nobody is there to ask: pass ${option}`)
  if (!expected.test(await prompt(terminal, `${question} `))) throw new CommandError('nothing was changed')
}

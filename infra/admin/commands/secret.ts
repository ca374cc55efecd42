import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { CommandError } from '../command-error.ts'
import type { Terminal } from '../terminal.ts'

const schema = v.pipe(v.string(), v.trim(), v.regex(/^[\x21-\x7e]{16,200}$/))

/** @throws CommandError, which does not repeat what was typed */
export function retellSecret(typed: string): string {
  const result = v.safeParse(schema, typed)
  if (result.success) return result.output
  throw new CommandError('the secret on standard input must have between 16 and 200 printable ASCII characters')
}

/** Not an argument: those stand in the shell's history and in the list of processes. @throws CommandError at a terminal */
export async function standardInput({ stdin }: Terminal): Promise<string> {
  if (stdin.isTTY) throw new CommandError('pipe the secret into the command: npx cuecard agent retell-secret ID < FILE')
  return await text(stdin)
}

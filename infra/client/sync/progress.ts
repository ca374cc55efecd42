import type { Program } from '../../command-line/terminal.ts'

const linesEach = 100

/** Prints a counter on a terminal, and elsewhere a line for each hundred. */
export function progressOf({ terminal: { stderr } }: Program, count: number) {
  const isTerminal = 'isTTY' in stderr && stderr.isTTY === true
  let done = 0
  return {
    next(): void {
      done++
      if (isTerminal) stderr.write(`\r${done} of ${count}`)
      else if (done % linesEach === 0) stderr.write(`${done} of ${count}\n`)
    },
    end(): void {
      if (isTerminal && done > 0) stderr.write('\n')
    },
  }
}

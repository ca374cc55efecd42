import { hostname, userInfo } from 'node:os'
import { runCommand } from './program.ts'

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  person: `${userName()}@${hostname()}`,
  /** Only for commands that ask for it: Ctrl-C ends the others at once. */
  get signal() {
    const controller = new AbortController()
    // Not once: npm passes on a Ctrl-C that the terminal has delivered already.
    process.on('SIGINT', () => controller.abort())
    return controller.signal
  },
})

/** A container may run under a number without a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}

import { hostname, userInfo } from 'node:os'
import { runCommand } from './program.ts'

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // `| head` closes the pipe before everything is written.
  if (code !== 'EPIPE') console.error(`error: ${message}`)
  process.once('exit', () => {
    process.exitCode ||= 1
  })
})

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  person: `${userName()}@${hostname()}`,
  // A getter: Ctrl-C ends the commands that do not read it at once.
  get signal() {
    const controller = new AbortController()
    // Not once: npm passes on a Ctrl-C that the terminal has delivered already.
    process.on('SIGINT', () => controller.abort())
    return controller.signal
  },
})

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}

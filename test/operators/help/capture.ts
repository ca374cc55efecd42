import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandsIn, runbookPages } from './pages.ts'

/**
 * Writes the help of the pages' commands: `node test/operators/help/capture.ts neon|aws`, where the program is installed
 * (`npm install --global neon@VERSION`, or the AWS command line). Commit the file, and delete that of the version before.
 */
const programs = {
  neon: { version: ['--version'], common: ['--help'], help: '--help', part: /^[\s\S]*/ },
  aws: { version: ['--version'], common: ['help'], help: 'help', part: /^SYNOPSIS\n[\s\S]*?(?=^[A-Z])/m },
}

const name = process.argv[2] as keyof typeof programs
const { version, common, help, part } = programs[name]
const run = (args: readonly string[]) => {
  const printed = execFileSync(name, args, { encoding: 'utf8', env: { ...process.env, AWS_PAGER: '', COLUMNS: '80' } })
  // A manual prints bold letters twice, with a backspace between them.
  return printed.replaceAll(/.[\b]/g, '')
}
// Captured elsewhere, because version 1 lacks it.
const elsewhere = new Set(['logs tail'])
const own = runbookPages()
  .flatMap(({ text }) => commandsIn(text))
  .filter(({ program }) => program === name)
const commands = [...new Set(own.map(({ command }) => command)).difference(elsewhere)].toSorted()
const sections = [common, ...commands.map((command) => [...command.split(' '), help])].map((args) => {
  const shown = part.exec(run(args))?.[0] ?? ''
  return `$ ${name} ${args.join(' ')}\n${shown.replaceAll(/^ +| +$/gm, '').trim()}\n`
})
const found = /\d+\.\d+\.\d+/.exec(run(version))![0]
writeFileSync(join(import.meta.dirname, `${name}-${found}.txt`), sections.join('\n'))

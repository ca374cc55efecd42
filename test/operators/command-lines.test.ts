import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsIn, runbookPages } from './help/pages.ts'

const folder = join(import.meta.dirname, 'help')
const cdk = join(import.meta.dirname, '../../node_modules/aws-cdk/bin/cdk')

/** The captured help of a program, by command; the empty one has the options of all. */
function helpOf(program: 'aws' | 'neon') {
  const files = globSync(`${program}-*.txt`, { cwd: folder })
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'))
  const sections = texts.flatMap((text) => [
    ...text.matchAll(new RegExp(`^\\$ ${program} (.*?) ?(?:--)?help\n([^$]*)`, 'gm')),
  ])
  return {
    versions: files.map((file) => /-([\d.]+)(-|\.txt$)/.exec(file)![1]),
    sections: new Map(sections.map(([, command, text]) => [command!, text!])),
  }
}

const captured = { aws: helpOf('aws'), neon: helpOf('neon') }
const ofCdk = new Map<string, string>()

function shownFor(program: 'aws' | 'cdk' | 'neon', command: string): string | undefined {
  if (program !== 'cdk') {
    const { sections } = captured[program]
    const own = sections.get(command)
    return own && `${own}${sections.get('')}`
  }
  if (!ofCdk.has(command)) {
    const env = { ...process.env, CI: 'true', CDK_DISABLE_CLI_TELEMETRY: 'true' }
    ofCdk.set(command, execFileSync(process.execPath, [cdk, command, '--help'], { encoding: 'utf8', env }))
  }
  return ofCdk.get(command)
}

const calls = runbookPages().flatMap(({ page, text }) => commandsIn(text).map((call) => ({ page, ...call })))

test.each(calls)('$page: the help of $program shows its options: $line', ({ program, version, command, flags }) => {
  const help = shownFor(program, command)
  expect(help, `no help of ${program} ${command}: see help/capture.ts`).toContain(
    program === 'cdk' ? `cdk ${command}` : '',
  )
  if (program === 'neon') expect(captured.neon.versions).toEqual([version])
  for (const flag of flags) expect(help).toMatch(new RegExp(`(^|[\\s[,])${flag}(?![\\w-])`))
})

test('the pages have commands of each program', () => {
  expect(new Set(calls.map(({ program }) => program))).toEqual(new Set(['aws', 'cdk', 'neon']))
})

test('a branch’s parent is one thing: a name, an id, a moment or a position', () => {
  const parents = calls.flatMap(({ line }) => /--parent (\S+)/.exec(line)?.[1] ?? [])
  expect(parents).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)])
})

// What libraries make of the fixtures, beside ours: npm run compare-files -- [--readme] [--missed LIBRARY]
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { readFile } from '../../functions/extraction/text/read-file.ts'
import { withSection } from '../bench/report/readme.ts'
import { copyWithPackages } from '../support/foreign-code.ts'
import { type Aspect, expectations, judge } from './expectations.ts'

interface Outcome {
  ms: number
  text?: string
  error?: string
}

const ours = 'Cuecard'
const aspects: Aspect[] = ['headings', 'rows', 'items', 'texts', 'hidden']
const fixtures = join(import.meta.dirname, 'fixtures')
const directory = join(import.meta.dirname, '../../.local/files-peers')
const readme = join(import.meta.dirname, 'README.md')

const { values } = parseArgs({ options: { readme: { type: 'boolean' }, missed: { type: 'string' } } })
copyWithPackages(join(import.meta.dirname, 'peers'), directory, console.error)

const files = Object.keys(expectations).map((name) => join(fixtures, name))
const outcomes = new Map<string, Map<string, Outcome>>([[ours, await ourOutcomes()]])
const extensions: Record<string, string[]> = JSON.parse(peer([]))
for (const [library, read] of Object.entries(extensions)) {
  const taken = files.filter((path) => read.includes(extname(path).slice(1)))
  outcomes.set(library, peerOutcomes(library, taken))
}

console.log(`${byFile()}\n\n${byAspect()}`)
if (values.missed) printMissed(values.missed)
if (values.readme) writeFileSync(readme, withSection(readFileSync(readme, 'utf8'), 'npm run compare-files', byAspect()))

async function ourOutcomes(): Promise<Map<string, Outcome>> {
  const found = new Map<string, Outcome>()
  for (const path of files) {
    const times: number[] = []
    let text = ''
    for (let run = 0; run < 4; run++) {
      const start = performance.now()
      text = (await readFile(readFileSync(path), basename(path))).text
      times.push(performance.now() - start)
    }
    found.set(basename(path), { text, ms: times.slice(1).sort((a, b) => a - b)[1]! })
  }
  return found
}

function peer(parameters: string[]): string {
  return execFileSync(process.execPath, ['libraries.ts', ...parameters], {
    cwd: directory,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** A library that ends the process is called for each file alone. */
function peerOutcomes(library: string, paths: string[]): Map<string, Outcome> {
  try {
    return parsed(peer([library, ...paths]))
  } catch {
    const one = (path: string) => {
      try {
        return parsed(peer([library, path]))
      } catch {
        return new Map([[basename(path), { ms: 0, error: 'ends the process' }]])
      }
    }
    return new Map(paths.flatMap((path) => [...one(path)]))
  }
}

function parsed(lines: string): Map<string, Outcome> {
  const found = lines.split('\n').filter((line) => line.startsWith('{"path"'))
  const outcomes = found.map((line) => JSON.parse(line) as Outcome & { path: string })
  return new Map(outcomes.map(({ path, ...outcome }) => [basename(path), outcome]))
}

function byFile(): string {
  const names = [...outcomes.keys()]
  const rows = Object.keys(expectations).map((file) => [
    `\`${file}\``,
    ...names.map((library) => cellFor(outcomes.get(library)!.get(file), file)),
  ])
  return markdownTable([['facts kept · ms', ...names], ...rows])
}

function cellFor(outcome: Outcome | undefined, file: string): string {
  if (!outcome) return ''
  if (outcome.text === undefined) return 'fails'
  const { met, of } = total(outcome.text, file, aspects)
  return `${met === of ? `**${met}**` : met}/${of} · ${outcome.ms.toFixed(outcome.ms < 10 ? 1 : 0)}`
}

function byAspect(): string {
  const rows = [...outcomes].map(([library, found]) => [
    library,
    String(found.size),
    ...aspects.map((aspect) => {
      const parts = [...found].map(([file, { text }]) => total(text ?? '', file, [aspect]))
      const [met, of] = [parts.reduce((sum, part) => sum + part.met, 0), parts.reduce((sum, part) => sum + part.of, 0)]
      return of === 0 ? '' : `${Math.floor((100 * met) / of)} %`
    }),
  ])
  const head = 'of the files that it reads,files,headings,rows of tables,list items,other text,hidden parts left out'
  return markdownTable([head.split(','), ...rows])
}

function total(text: string, file: string, which: Aspect[]): { met: number; of: number } {
  const verdicts = judge(text, expectations[file]!)
  const sum = (part: 'met' | 'of') => which.reduce((all, aspect) => all + verdicts[aspect][part], 0)
  return { met: sum('met'), of: sum('of') }
}

function printMissed(library: string): void {
  for (const [file, { text, error }] of outcomes.get(library) ?? []) {
    const verdicts = judge(text ?? '', expectations[file]!)
    for (const aspect of aspects)
      for (const missed of verdicts[aspect].missed)
        console.log(`${file} ${aspect}: ${missed}${error ? ` (${error})` : ''}`)
  }
}

function markdownTable([head, ...rows]: string[][]): string {
  return [head!, head!.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

const unused = readdirSync(fixtures).filter((name) => !expectations[name])
if (unused.length > 0 || !existsSync(readme)) console.error(`Without expectations: ${unused.join(', ')}`)

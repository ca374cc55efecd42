import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** The pages that an operator follows. */
export function runbookPages(): { page: string; text: string }[] {
  const pages = globSync(['README.md', 'infra/**/*.md'], { cwd: root }).toSorted()
  return pages.map((page) => ({ page, text: readFileSync(join(root, page), 'utf8') }))
}

interface PageCommand {
  program: 'aws' | 'cdk' | 'neon'
  /** The version that the page names. */
  version: string | undefined
  /** Its words up to the first argument, such as `branches create`. */
  command: string
  flags: string[]
  line: string
}

/** The commands of other programs in a page's blocks and sentences. */
export function commandsIn(text: string): PageCommand[] {
  const code = [...text.replaceAll(/ *\\\n */g, ' ').matchAll(/^ *```sh\n([\s\S]*?)^ *```$|`([^`\n]+)`/gm)].map(
    ([, block, inline]) => block ?? inline!,
  )
  const calls = code.flatMap((part) => [
    ...part.matchAll(
      /(?:^|[ (|])(aws|(?:npx )?(?:cdk|neon(?:ctl)?)(?:@[\d.]+)?) ([a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)*)([^\n|;)]*)/gm,
    ),
  ])
  return calls.map(([line, called, words, rest]) => {
    const [program, version] = called!.replace('npx ', '').split('@')
    const depth = program === 'cdk' || /^(api|connection-string)\b/.test(words!) ? 1 : 2
    return {
      program: program!.replace('ctl', '') as PageCommand['program'],
      version,
      command: words!.split(' ').slice(0, depth).join(' '),
      flags: [...`${words}${rest}`.replaceAll(/'[^']*'|"[^"]*"/g, '').matchAll(/ (--?[A-Za-z][\w-]*)/g)].map(
        ([, flag]) => flag!,
      ),
      line: line.trim(),
    }
  })
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const tables = readFileSync(join(root, 'shared/database/tables.ts'), 'utf8')
/** Every column of every table, as `tables.ts` has them. */
const columns = new Set([...tables.matchAll(/^ {4}(\w+): /gm)].map(([, column]) => column!))

/** Their statements are over tables that are named at run time, over Postgres's own, or over what a statement itself has named. */
const exempt = [
  'infra/admin/erasure/',
  'infra/admin/export/',
  'infra/admin/health.ts',
  'infra/preflight/',
  'shared/organizations/sessions.ts',
  'shared/retrieval/explanation/',
  'shared/retrieval/fusion.ts',
  'shared/retrieval/keyword/keyword-chunks.ts',
]

const sources = ['functions', 'shared', 'infra'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.startsWith('infra/migrations/'))
    .filter((file) => !exempt.some((path) => file.startsWith(path))),
)

/** What the templates tagged `sql` say themselves: what is interpolated is checked by the compiler. */
function* literalsOf(source: string): Generator<string> {
  const text = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  for (const { index, 0: tag } of text.matchAll(/\bsql(<[^`]*?>)?`/g)) {
    let literal = ''
    let depth = 0
    for (let at = index + tag.length; at < text.length && (depth > 0 || text[at] !== '`'); at++) {
      if (depth === 0 && text.startsWith('${', at)) {
        depth = 1
        at++
        literal += ' ? '
      } else if (depth > 0) {
        if (text[at] === '{') depth++
        if (text[at] === '}') depth--
      } else literal += text[at]
    }
    yield literal
  }
}

test('raw SQL names columns through columnsOf alone, so that the compiler finds every use of a column', () => {
  expect(columns.size).toBeGreaterThan(40)
  const named = sources.flatMap((file) =>
    [...literalsOf(readFileSync(join(root, file), 'utf8'))].flatMap((literal) => {
      const words = literal.replaceAll(/'[^']*'|for (no )?key (share|update)/g, ' ').match(/[a-z_]\w*/g) ?? []
      return words.filter((word) => columns.has(word)).map((word) => `${file}: ${word}`)
    }),
  )
  expect(named).toEqual([])
})

import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withFigures } from './bench/report/readme.ts'
import { committedFigures } from './evaluation/committed.ts'
import { withTable } from './evaluation/report.ts'
import { anchorsOf } from './support/tools/anchors.ts'

const root = join(import.meta.dirname, '..')
const elsewhere = ['infra/local/samples/', 'test/evaluation/set/', 'functions/reference/guides/']
const pages = globSync('{*,{functions,infra,shared,test}/**/*}.md', { cwd: root }).filter(
  (page) => !elsewhere.some((folder) => page.startsWith(folder)),
)
const scripts = Object.keys(JSON.parse(read('package.json')).scripts)

describe.each(pages)('%s', (page) => {
  test('links only to files and headings that exist', () => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
    const broken = links.filter(([, path, heading]) => {
      const target = path ? join(dirname(page), path) : page
      return !existsSync(join(root, target)) || (heading && !anchorsOf(read(target)).includes(heading))
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })

  test('names scripts that package.json has', () => {
    const named = [...read(page).matchAll(/npm run (?:--\S+ )*([a-z][a-z:-]*)/g)].map(([, script]) => script!)
    expect([...new Set(named)].filter((script) => !scripts.includes(script))).toEqual([])
  })
})

test('the figures of README.md are those of the committed run', () => {
  const run = JSON.parse(read('test/bench/results/run.json'))
  expect(withFigures(read('README.md'), run)).toBe(read('README.md'))
})

test('a contestant that a run could not start is missing with its reason', () => {
  const run = JSON.parse(read('test/bench/results/run.json'))
  const remarks = ['Chroma’s server is missing: tar is not installed']
  expect(withFigures(read('README.md'), { ...run, remarks })).toContain(`\n${remarks}\n`)
})

test('the table of the search page shows the committed figures', () => {
  const page = read('shared/retrieval/README.md')
  expect(withTable(page, committedFigures())).toBe(page)
})

test('every package of npm start runs on the oldest Node that README.md names', () => {
  type Packages = Record<string, { dev?: boolean; engines?: { node?: string } }>
  const { packages }: { packages: Packages } = JSON.parse(read('package-lock.json'))
  const tooNew = Object.entries(packages).filter(
    ([, { dev, engines }]) => !dev && engines?.node && !/>=? ?v?(1?\d|20)\b|\^20|\*/.test(engines.node),
  )
  expect(tooNew.map(([name, { engines }]) => `${name} ${engines?.node}`)).toEqual([])
})

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSet } from '../evaluation/labelled-set.ts'
import { Random } from '../simulation/random.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()
const edits = Number(process.env.MISTAKES ?? 200)
const checkCount = 60
const random = new Random(60)

type Edit = (lines: string[]) => string[]

const isFact = (line: string) => /\p{L}/u.test(line) && !/^\s*(#|\|[-| ]+\|$)/.test(line)
const facts = (lines: string[]) => [...lines.keys()].filter((i) => isFact(lines[i]!))

/** Edits that people make by mistake. */
const mistakes: Record<string, Edit> = {
  'a row deleted': (lines) => lines.toSpliced(random.pick(facts(lines)), 1),
  'a price swapped': (lines) => {
    const priced = facts(lines).filter((i) => /\d/.test(lines[i]!))
    if (priced.length === 0) return lines
    const at = random.pick(priced)
    return lines.with(
      at,
      lines[at]!.replace(/\d/, (digit) => `${(Number(digit) + 1 + random.below(8)) % 10}`),
    )
  },
  'a heading split': (lines) => {
    const at = random.pick(facts(lines))
    return lines.toSpliced(at, 0, '', '## More', '')
  },
  'a paragraph moved': (lines) => {
    const at = random.pick(facts(lines))
    return [...lines.toSpliced(at, 1), '', lines[at]!]
  },
  'an older version': (lines) => lines.slice(0, Math.ceil(lines.length * (0.4 + random.next() / 2))),
  'a sentence added': (lines) => [...lines, '', `We wish you a pleasant stay, number ${random.below(1000)}.`],
}

test(`of ${edits} edits nearly all that break a golden question are stopped, and hardly any other`, {
  timeout: 3_600_000,
}, async () => {
  const business = readSet(join(import.meta.dirname, '../evaluation/set')).find(({ name }) => name === 'guest-house')!
  const tenant = await stand.tenant()
  const { call, knowledgeBase } = tenant
  const golden = `/v1/agents/${tenant.agentId}/golden-questions`
  const documents = new Map<string, { path: string; content: string }>()
  for (const { title, content } of business.documents) {
    const { body } = await call('POST', knowledgeBase, { title, content })
    documents.set(title, { path: `${knowledgeBase}/${body.id}`, content })
  }
  await stand.deliver()
  let asked = 0
  for (const { question, expected } of business.questions) {
    if (asked === checkCount || !expected?.words) continue
    const { body } = await call('POST', golden, { question, expects: { words: expected.words }, on_failure: 'block' })
    if (body.last_result.passed) asked++
    else await call('DELETE', `${golden}/${body.id}`)
  }
  expect(asked).toBe(checkCount)

  const save = async (path: string, body: object) => {
    await call('PATCH', path, body)
    await stand.deliver()
    return (await call('GET', path)).body.status as string
  }
  const failing = async () =>
    (await call('POST', `${golden}/run`)).body.data.filter(({ passed }: { passed: boolean }) => !passed).length
  const tally = { breaking: 0, stopped: 0, harmless: 0, falseAlarms: 0 }
  const kinds = Object.keys(mistakes)
  for (let i = 0; i < edits; i++) {
    const kind = kinds[i % kinds.length]!
    const { path, content } = random.pick([...documents.values()])
    const text = mistakes[kind]!(content.split('\n')).join('\n')
    const isStopped = (await save(path, { content: text })) === 'error'
    // Forces the edit, to see what search then serves.
    if (isStopped) await save(path, { status: 'pending', ignore_golden_questions: true })
    const isBreaking = (await failing()) > 0
    tally[isBreaking ? 'breaking' : 'harmless']++
    if (isStopped) tally[isBreaking ? 'stopped' : 'falseAlarms']++
    expect(await save(path, { content, ignore_golden_questions: true })).toBe('completed')
  }
  console.info(`of ${edits} edits: ${JSON.stringify(tally)}`)
  expect(tally.breaking).toBeGreaterThan(edits / 20)
  expect(tally.stopped / tally.breaking).toBeGreaterThanOrEqual(0.95)
  expect(tally.falseAlarms / tally.harmless).toBeLessThanOrEqual(0.02)
})

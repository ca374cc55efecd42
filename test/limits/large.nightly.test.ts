import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()

const timed = async <T>(work: Promise<T>): Promise<{ found: T; milliseconds: number }> => {
  const begun = performance.now()
  const found = await work
  return { found, milliseconds: performance.now() - begun }
}
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!

test('a document of 4 MiB keeps its newest 20 texts, which are read and restored whole, and its list reads none', async () => {
  const { call, knowledgeBase } = await stand.tenant()
  const sentence = (i: number) => `Article ${i} of the catalogue costs ${i % 97} euros and ${i % 89} cents.\n`
  const catalogue = Array.from({ length: 90_000 }, (_, i) => sentence(i))
    .join('')
    .slice(0, 4 * 1024 * 1024 - 16)
  const text = (i: number) => `${catalogue}Edition ${i}.`.padEnd(4 * 1024 * 1024, '.')
  const { body, status } = await call('POST', knowledgeBase, { title: 'Catalogue', content: text(0) })
  expect(status).toBe(201)
  await stand.deliver()
  const path = `${knowledgeBase}/${body.id}`
  for (let i = 1; i <= 21; i++) {
    expect((await call('PATCH', path, { content: text(i) })).status).toBe(200)
    await stand.deliver()
  }
  const { found: list, milliseconds } = await timed(call('GET', `${path}/revisions?limit=100`))
  expect(list.body.data.map(({ bytes }: { bytes: number }) => bytes)).toEqual(Array(21).fill(4 * 1024 * 1024))
  const oldest = await timed(call('GET', `${path}/revisions/${list.body.data.at(-1).revision}`))
  expect(oldest.found.body.content).toBe(text(1))
  const { rows } = await sql<{ bytes: string }>`select sum(pg_column_size(content)) as bytes from document_revisions
    where document_id = ${body.id}`.execute(stand.db)
  expect(Number(rows[0]!.bytes)).toBeLessThan(20 * 4 * 1024 * 1024)
  expect(milliseconds).toBeLessThan(oldest.milliseconds)
  expect((await call('POST', `${path}/revisions/${oldest.found.body.revision}/restore`)).status).toBe(200)
  await stand.deliver()
  expect((await call('GET', path)).body).toMatchObject({ status: 'completed', content: text(1) })
}, 900_000)

test('twenty callers with ten hypotheses each at once are all answered, and so is another organization', async () => {
  const [greedy, other] = [await stand.tenant(), await stand.tenant()]
  const documents = Array.from({ length: 100 }, (_, i) => ({
    title: `Room ${i}`,
    content: `Room ${i} costs ${i} euros.`,
  }))
  for (const { call, knowledgeBase } of [greedy, other]) {
    expect((await call('POST', `${knowledgeBase}/batch`, { documents })).status).toBe(201)
    await stand.deliver()
  }
  const ask = ({ call, knowledgeBase }: typeof other, i: number, count: number) => {
    const [query, ...alternatives] = Array.from(
      { length: count },
      (_, n) => `what does room ${i} cost ${'please '.repeat(n)}`,
    )
    return timed(call('POST', `${knowledgeBase}/search`, { query, ...(count > 1 && { alternatives }) }))
  }
  const callers = Array.from({ length: 20 }, (_, i) => ask(greedy, i, 10))
  const beside: number[] = []
  for (let i = 10; i < 15; i++) {
    const { found, milliseconds } = await ask(other, i, 1)
    expect(found.body.data[0].content).toBe(`Room ${i} costs ${i} euros.`)
    beside.push(milliseconds)
  }
  const answers = await Promise.all(callers)
  for (const [i, { found }] of answers.entries()) expect(found.body.data[0].content).toBe(`Room ${i} costs ${i} euros.`)
  expect(median(beside)).toBeLessThan(median(answers.map(({ milliseconds }) => milliseconds)))
})

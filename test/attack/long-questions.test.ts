import { beforeAll, describe, expect, test } from 'vitest'
import { call, tools, user } from '../platforms/vapi-messages.ts'
import { known, tenantWithDocuments } from '../support/documents/known-documents.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'

const stand = useStand()
/** A bakery's tenant; no test changes it. */
let tenant: Tenant
beforeAll(async () => {
  tenant = await tenantWithDocuments(stand)
})

const maxText = 8000
const maxTurns = 10
/** Far above the processor's time for a short question on a slow machine, and far below that for texts that are read whole. */
const maxMilliseconds = 700
const fill = (text: string) => text.repeat(Math.ceil(maxText / text.length)).slice(0, maxText)
const differentWords = (seed: number) =>
  Array.from({ length: 1600 }, (_, i) => `${seed}${(i * 7919).toString(36)}`)
    .join(' ')
    .slice(0, maxText)

/** Texts of the longest size, the same or another for each seed. */
const longest: Record<string, (seed: number) => string> = {
  'a ligature of eighteen letters': () => fill('\ufdfa'),
  'ligatures of several scripts': (seed) => fill(`${'\ufb03\u3300\ufdfb'.repeat(seed + 1)} `),
  'different words': differentWords,
  'one word again and again': (seed) => fill(`zoo${seed} `),
  'an address that never ends': (seed) => fill(`a at b dot c${' d'.repeat(seed)} `),
  'spelled letters': (seed) => fill(`${'abcdefghijklmnop'[seed % 16]} minus dot `),
  'numbers in words': (seed) => fill(`twenty one hundred ${seed} `),
  'characters without spaces': (seed) => fill(`営業時間${'定休日'.repeat(seed)}`),
  days: () => fill('on friday '),
}

/** A question with as many of the longest texts as a search takes. */
const longQuestion = (textOf: (seed: number) => string) => ({
  query: textOf(0),
  alternatives: Array.from({ length: maxTurns - 1 }, (_, i) => textOf(i + 1)),
  history: Array.from({ length: maxTurns }, (_, i) => textOf(i + maxTurns)),
})

/** The answer, and the milliseconds of the processor that it took in this thread. */
async function timed(path: string, body: object) {
  const before = process.threadCpuUsage()
  const answer = await tenant.call('POST', `${tenant.knowledgeBase}${path}`, body)
  const { user, system } = process.threadCpuUsage(before)
  return { ...answer, milliseconds: (user + system) / 1000 }
}

describe.each(Object.keys(longest))('%s', (name) => {
  const question = longQuestion(longest[name]!)

  test('in ten hypotheses and ten turns is answered in little time', async () => {
    const { status, milliseconds } = await timed('/search', question)
    expect(status).toBe(200)
    expect(milliseconds).toBeLessThan(maxMilliseconds)
    const prepared = await timed('/search/prefetch', question)
    expect(prepared.status).toBe(202)
    expect(prepared.milliseconds).toBeLessThan(maxMilliseconds)
  })

  test('in ten tool calls of one message is answered in little time, each', async () => {
    const { history, ...args } = question
    const calls = Array.from({ length: 10 }, (_, i) => call(`${i}`, args))
    const message = { ...tools(...calls), artifact: { messages: history.map(user) } }
    const { status, body, milliseconds } = await timed('/vapi', { message })
    expect(status).toBe(200)
    expect(body.results.map(({ error }: { error?: string }) => error)).toEqual(Array(10).fill(undefined))
    expect(milliseconds).toBeLessThan(maxMilliseconds)
  })
})

test('what is too much to read is left out: the question, its first alternatives and its last turns count', async () => {
  const long = differentWords(1)
  const found = async (body: object) => (await timed('/search', { ...body, limit: 1 })).body.data[0].document_title
  const query = 'Where do guests park?'
  expect(await found({ query, alternatives: Array(9).fill(fill('\ufdfa')), history: Array(10).fill(long) })).toBe(
    known.parking[0],
  )
  expect(await found({ query: 'zzyzx', alternatives: [query, ...Array(8).fill(long)] })).toBe(known.parking[0])
  expect(await found({ query: 'and where?', history: [...Array(9).fill(long), 'Do guests have parking?'] })).toBe(
    known.parking[0],
  )
  expect(await found({ query: `${query} ${long}`.slice(0, maxText) })).toBe(known.parking[0])
})

test('a long message is shared by its calls, each of which has its question', async () => {
  const calls = Array.from({ length: 10 }, (_, i) =>
    call(`${i}`, { query: 'Where do guests park?', alternatives: Array(9).fill(differentWords(i)) }),
  )
  const { body } = await timed('/vapi', { message: tools(...calls) })
  for (const { result } of body.results) expect(result).toContain(`From “${known.parking[0]}”`)
})

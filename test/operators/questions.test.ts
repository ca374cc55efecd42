import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseQuestions } from '../../infra/admin/questions/questions-file.ts'
import { cuecard } from '../support/command-line.ts'
import { useGateway } from '../support/gateway.ts'
import { useStand } from '../support/stand.ts'

const stand = useStand()
const gateway = useGateway(stand)
const directory = await mkdtemp(join(tmpdir(), 'cuecard-questions-'))
afterAll(() => rm(directory, { recursive: true }))

const sunday = 'Are you open on Sunday?'

/** An agent with two documents, and the commands with its key and no database. */
async function shop() {
  const tenant = await stand.tenant()
  const { agentId, apiKey, call, knowledgeBase } = tenant
  const documents = [
    { title: 'Hours', content: 'We are open Monday to Saturday. On Sunday we are closed.' },
    { title: 'Parking', content: 'Guests park behind the house.' },
  ]
  const { body } = await call('POST', `${knowledgeBase}/batch`, { documents })
  await stand.deliver()
  const run = (command: string, ...args: string[]) =>
    cuecard(['questions', command, ...args, '--agent', agentId], { env: { BASE_URL: gateway.origin, API_KEY: apiKey } })
  const load = async (text: string, ...options: string[]) => {
    const file = join(directory, `${crypto.randomUUID()}.csv`)
    await writeFile(file, text)
    return await run('import', file, ...options)
  }
  const golden = `/v1/agents/${agentId}/golden-questions`
  const list = async () => (await call('GET', golden)).body.data
  const [hours, parking] = body.data.map(({ id }: { id: string }) => id)
  return { ...tenant, run, load, golden, list, hours, parking }
}

describe('questions check', () => {
  test('prints a table of what passes, and needs a key and an address only', async () => {
    const { run, call, golden } = await shop()
    expect(await run('check')).toEqual({ code: 0, stdout: 'None.\n', stderr: '' })
    await call('POST', golden, { question: sunday, expects: { words: 'Sunday we are closed' } })
    const { code, stdout } = await run('check')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^question +result +rank +first +passage\nAre you open on Sunday\? +passes +1 +Hours +We are/,
    )
  })

  test('exits with 1 when a question fails, and says what came first instead', async () => {
    const { run, call, golden, knowledgeBase, hours } = await shop()
    const { body } = await call('POST', golden, { question: sunday, expects: { words: 'Sunday we are closed' } })
    await call('PATCH', `${knowledgeBase}/${hours}`, { content: 'On Sunday we are open from 10 to 12.' })
    await stand.deliver()
    const { code, stdout, stderr } = await run('check', '--json')
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: 1 of 1 golden questions fail\n' })
    const found = { first: 'Hours', passage: 'On Sunday we are open from 10 to 12.' }
    expect(JSON.parse(stdout).data).toEqual([
      { golden_question_id: body.id, question: sunday, on_failure: 'warn', result: 'fails', rank: null, ...found },
    ])
  })

  test.each([
    [{ API_KEY: 'cue_x' }, /^error: set BASE_URL to the address of the API, such as /],
    [{ BASE_URL: 'mailto:x', API_KEY: 'cue_x' }, /^error: set BASE_URL to/],
    [{ BASE_URL: 'http://127.0.0.1:1' }, /^error: set API_KEY to a key/],
    [{ BASE_URL: 'http://127.0.0.1:1', API_KEY: 'cue_x' }, /^error: cannot reach http:\/\/127\.0\.0\.1:1\/v1/],
  ])('with %j says in one line what is missing', async (env, message) => {
    const { code, stderr } = await cuecard(['questions', 'check', '--agent', crypto.randomUUID()], { env: { ...env } })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) })
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test('with a wrong key passes on what the API says', async () => {
    const { agentId } = await shop()
    const env = { BASE_URL: `${gateway.origin}/`, API_KEY: 'cue_x' }
    const { code, stderr } = await cuecard(['questions', 'check', '--agent', agentId], { env })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/responded 401: .*set API_KEY/) })
  })
})

describe('questions import', () => {
  const file = `question,title,words\n${sunday},hours,Sunday we are closed\nWhere can I park?,Parking,\nDo you sell cars?,,\n`

  test('creates what the file expects, once', async () => {
    const { load, list, hours, parking } = await shop()
    const { code, stdout } = await load(file, '--on-failure', 'block', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout).data).toMatchObject([
      { line: 2, question: sunday, imported: 'created', result: 'passes' },
      { line: 3, imported: 'created', result: 'passes' },
      { line: 4, imported: 'created' },
    ])
    const before = await list()
    expect(before).toMatchObject([
      { question: 'Do you sell cars?', expects: { nothing: true }, on_failure: 'block' },
      { question: 'Where can I park?', expects: { document_id: parking }, on_failure: 'block' },
      { question: sunday, expects: { document_id: hours, words: 'Sunday we are closed' }, on_failure: 'block' },
    ])
    const again = await load(`${file}Is there a garden?,,garden\nIs there a garden?,,Garden\n`)
    expect(again.stdout.match(/is there already/g)).toHaveLength(4)
    expect((await list()).slice(1)).toEqual(before)
  })

  test.each([
    ['Where?,Prices,', 'line 3: no document has the title “Prices”'],
    ['Where?,Parking,', 'line 3: 2 documents have the title “Parking”'],
    [`Where?,,${'x'.repeat(1001)}`, 'line 3: expects.words must have at most 1000 characters'],
    [',,x', 'line 3: the question is empty'],
  ])('of a file with the line %.20j creates nothing', async (line, message) => {
    const { load, list, call, knowledgeBase } = await shop()
    await call('POST', knowledgeBase, { title: 'Parking', content: 'Parking is free.' })
    const { code, stdout, stderr } = await load(`question,title,words\n${sunday},Hours,\n${line}\n`)
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
    expect(await list()).toEqual([])
  })

  test('of more questions than an agent can have creates nothing', async () => {
    const { load, list } = await shop()
    const rows = Array.from({ length: 501 }, (_, i) => `Is bike ${i} there?,Hours,`)
    const { code, stderr } = await load(['question,title,words', ...rows].join('\n'))
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('500') })
    expect(await list()).toEqual([])
  })
})

describe('questions export', () => {
  test('prints what an import of the same file has created, quotes and line breaks included', async () => {
    const { run, load } = await shop()
    const file = `question,title,words\n"Is ""Sunday"", a day,\nfree?",Hours,closed\nWhere?,Parking,\nCars?,,\n`
    await load(file)
    const { code, stdout, stderr } = await run('export')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const sorted = (text: string) =>
      parseQuestions(text, 'x.csv')
        .map(({ question, expected }) => JSON.stringify([question, expected]))
        .sort()
    expect(sorted(stdout)).toEqual(sorted(file))
    expect((await load(stdout)).stdout.match(/is there already/g)).toHaveLength(3)
  })

  test('leaves out a question whose document is deleted, and exits with 1', async () => {
    const { run, load, call, knowledgeBase, hours } = await shop()
    await load(`question,title\nWhere?,Parking\n${sunday},Hours\n`)
    await call('DELETE', `${knowledgeBase}/${hours}?ignore_golden_questions=true`)
    expect(await run('export')).toEqual({
      code: 1,
      stdout: 'question,title,words\nWhere?,Parking,\n',
      stderr: `error: left out, as its document is deleted: ${sunday}\n`,
    })
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { useGateway } from '../support/stand/gateway.ts'
import { useStand } from '../support/stand/stand.ts'
import { cuecard } from '../support/tools/command-line.ts'

const stand = useStand()
const gateway = useGateway(stand)
const directory = await mkdtemp(join(tmpdir(), 'cuecard-questions-'))
afterAll(() => rm(directory, { recursive: true }))

const sunday = 'Are you open on Sunday?'

/** An agent with two documents, and the commands with its key and without a database. */
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
  test('prints a table of the results, and needs only a key and an address', async () => {
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

  test('with a wrong key prints the API’s error', async () => {
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
    ['Where?,Prices,', 'line 3: no document has the title or id “Prices”'],
    ['Where?,Parking,', 'line 3: 2 documents have the title “Parking”'],
    [`Where?,,${'x'.repeat(1001)}`, 'line 3: expects.words must have at most 1000 characters'],
    [',,x', 'line 3: the question is empty'],
    ['Where?,,x,11', 'line 3: within must be between 1 and 10'],
    ['Where?,,x,,never', 'line 3: on_failure must be warn or block'],
    [`Where?,,,,,,${crypto.randomUUID()}`, 'line 3: no document has the title or id'],
  ])('of a file with the line %.20j creates nothing', async (line, message) => {
    const { load, list, call, knowledgeBase } = await shop()
    await call('POST', knowledgeBase, { title: 'Parking', content: 'Parking is free.' })
    const { code, stdout, stderr } = await load(
      `question,title,words,within,on_failure,as_of,document_id\n${sunday},Hours,,,,,\n${line.padEnd(line.length + 7 - line.split(',').length, ',')}\n`,
    )
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
    expect(await list()).toEqual([])
  })

  test('of a file with a column that it does not have names the column, and creates nothing', async () => {
    const { load, list } = await shop()
    const { code, stderr } = await load(`question,words,on_fail,\n${sunday},closed,block,\n`)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/line 1: unknown column `on_fail`; .*on_failure/),
    })
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
  test('prints a file that an import restores without loss, even with duplicate titles and cells that look like formulas', async () => {
    const { run, load, call, golden, knowledgeBase, hours, list } = await shop()
    await call('POST', knowledgeBase, { title: 'Hours', content: 'In December we are closed.' })
    const asked = [
      { question: 'Is "Sunday", a day,\nfree?', expects: { document_id: hours, words: 'closed' }, within: 1 },
      { question: sunday, expects: { words: 'closed' }, on_failure: 'block', within: 10 },
      { question: sunday, expects: { words: 'closed' }, as_of: '2030-12-25T10:00:00.000Z' },
      ...['=1+1', '@SUM(1)', '-1', "'+49 30 1", '＝1'].map((words) => ({
        question: `${words} is what?`,
        expects: { words },
      })),
      { question: 'Cars?', expects: { nothing: true }, on_failure: 'block' },
      ...['(none)', "'(none)", '$25', null].map((value) => ({ question: sunday, expects: { value } })),
      ...[['Hello?'], ['- no', '(none)'], ['=1', 'Or, "Monday"?']].map((history) => ({
        question: sunday,
        history,
        expects: { words: 'closed', value: null },
      })),
    ]
    for (const each of asked) expect((await call('POST', golden, each)).status).toBe(201)
    const kept = async () =>
      (await list())
        .map(({ id, last_result, ...rest }: { id: string; last_result: unknown }) => JSON.stringify(rest))
        .sort()
    const before = await kept()
    const { code, stdout, stderr } = await run('export')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toMatch(/(^|,)"?[=+\-@\t＝]/m)
    const made = await list()
    expect((await load(stdout)).stdout.match(/is there already/g)).toHaveLength(asked.length)
    for (const { id } of made) await call('DELETE', `${golden}/${id}`)
    await load(stdout)
    expect(await kept()).toEqual(before)
    expect((await load(stdout.replace(/,warn,/, ',block,'))).stdout.match(/changed/g)).toHaveLength(1)
  })

  test('leaves out a question whose document is deleted, with a warning', async () => {
    const { run, load, call, knowledgeBase, hours, parking } = await shop()
    await load(`question,title\nWhere?,Parking\n${sunday},Hours\n`)
    await call('DELETE', `${knowledgeBase}/${hours}?ignore_golden_questions=true`)
    expect(await run('export')).toEqual({
      code: 0,
      stdout: `question,title,words,document_id,within,on_failure,as_of,history,value\nWhere?,Parking,,${parking},3,warn,,,\n`,
      stderr: `warning: left out, as its document is deleted: ${sunday}\n`,
    })
  })
})

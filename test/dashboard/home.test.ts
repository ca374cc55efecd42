import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { isOff } from '../../functions/dashboard/home.ts'
import type { Permission } from '../../shared/organizations/permissions.ts'
import { storeQuestions } from '../support/documents/asked-questions.ts'
import { serve, setColumns } from './document-rows.ts'
import { makeHeld, makeThings } from './routes.ts'
import { type SignedIn, useDashboard } from './support.ts'

const { stand, signedIn, member } = useDashboard()

test('an organization without agents can add the first one, if the key permits it', async () => {
  const without = async (granted?: Permission[]) => {
    const { browser, organizationId } = await signedIn(granted)
    await stand.db.deleteFrom('agents').where('organization_id', '=', organizationId).execute()
    return await browser.get('/dashboard')
  }
  const own = await without()
  expect(own.text).toContain('No agents yet')
  expect(own.html).toContain('href="/dashboard/agents/new"')
  const read = await without(['kb:read'])
  expect(read.text).toContain('Someone who can change settings has to add the first one.')
  expect(read.html).not.toContain('agents/new')
})

test('an agent answers once one of its documents is ready; before that, the screen says why it does not', async () => {
  const owner = await signedIn()
  const { browser, call, knowledgeBase } = owner
  await chooseZone(owner)
  const shown = async () => (await browser.get('/dashboard')).text
  expect(await shown()).toContain(isOff.none)
  const post = (title: string) => call('POST', knowledgeBase, { title, content: 'Closed on Sunday.' })
  const { body } = await post('Hours')
  expect(await shown()).toContain(`${isOff.pending} 1 document 1 processing`)

  await setColumns(stand, body.id, `status = 'error', error_message = 'Unreadable'`)
  expect(await shown()).toContain(`${isOff.failed} 1 document`)

  await post('Prices')
  await stand.deliver()
  expect(await shown()).toContain('Answers callers, needs you 2 documents 1 ready')
  await setColumns(stand, body.id, 'deleted_at = now()')
  expect(await shown()).toContain('Answers callers 1 document')
})

const chooseZone = ({ agentId, call }: SignedIn) => call('PATCH', `/v1/agents/${agentId}`, { time_zone: 'UTC' })

/** The agent's lines, each with the address where it is mended, below the agent's pages. */
async function needsOf({ agentId, browser }: SignedIn) {
  const { html } = await browser.get('/dashboard')
  const [list = ''] = /(?<=<ul class="notice warn">).*?(?=<\/ul>)/s.exec(html) ?? []
  const links = [...list.matchAll(/href="([^"]+)">([^<]+)/g)]
  return links.map(([, path, says]) => [path!.replace(`/dashboard/agents/${agentId}`, ''), says])
}

test('each line says what there is to mend, and leads there', async () => {
  const owner = await signedIn()
  expect(await needsOf(owner)).toEqual([['/edit', 'Nobody has chosen its time zone']])
  expect(await needsOf({ ...owner, ...(await member(owner, 'editor')) })).toEqual([])
  await chooseZone(owner)
  const first = await serve(stand, owner, 'Services', 'A nail trim costs $25.')
  expect(await needsOf(owner)).toEqual([])
  const { sourceId } = await makeThings(stand.db, owner)
  await serve(stand, owner, 'Prices of the salon', 'A nail trim costs $18.')
  await makeHeld(stand.db, owner, first)
  const stopped = await serve(stand, owner, 'Parking', 'Guests park behind the house.')
  await setColumns(stand, stopped, `status = 'error', error_code = 'golden_questions_fail', error_message = 'A check'`)
  const of = sql`where organization_id = ${owner.organizationId}`
  await sql`update golden_questions set passed = false ${of}`.execute(stand.db)
  await sql`update sources set status = 'error', error_message = 'It is gone.' where id = ${sourceId}`.execute(stand.db)
  const missing = JSON.stringify([{ day: '2026-12-25', name: 'Christmas Day' }])
  await sql`update agents set missing_holidays = ${missing} ${of}`.execute(stand.db)
  const needs = await needsOf(owner)
  expect(needs).toEqual([
    ['/golden-questions', '1 check fails'],
    ['/documents?show=needs', '2 documents need your decision'],
    ['/sources', '1 website couldn’t be read'],
    [expect.stringMatching(/^\/documents\/.*#disagreements$/), 'Two documents contradict each other'],
    ['/documents/closed?from=2026-12-25', 'No text says what you do on Christmas Day, Friday, 25 December'],
  ])
  for (const [path] of needs)
    expect((await owner.browser.get(`/dashboard/agents/${owner.agentId}${path}`.split('#')[0]!)).status).toBe(200)
  const closed = await owner.browser.get(`/dashboard/agents/${owner.agentId}/documents/closed?from=2026-12-25`)
  expect(closed.html).toContain(' value="2026-12-25"')
  const viewer = await member(owner, 'viewer')
  expect((await needsOf({ ...owner, ...viewer })).at(-1)![0]).toBe('/documents')
  expect(await needsOf(await signedIn(['kb:read']))).toEqual([])
})

test('the answers of the last week are counted for those who may read questions', async () => {
  const owner = await signedIn()
  await chooseZone(owner)
  const week = async () =>
    /(?:Last week:|No questions in|Questions aren).*? (?=Settings)/
      .exec((await owner.browser.get('/dashboard')).text)?.[0]
      .trim()
  expect(await week()).toBe('Questions aren’t saved')
  await owner.browser.post('/dashboard/settings/question-log', { on: 'true' })
  expect(await week()).toBe('No questions in the last week')
  const found = { question: 'are you open', status: 'found' } as const
  const asked = [found, found, { ...found, daysAgo: 6.9 }, { ...found, daysAgo: 7.1 }]
  const [wrong] = await storeQuestions(stand, owner, ...asked)
  await storeQuestions(stand, owner, { question: 'and parking' }, { question: 'and the sauna', status: 'uncertain' })
  await sql`update question_log set is_wrong = true where id = ${wrong}`.execute(stand.db)
  expect(await week()).toBe(
    'Last week: 2 answered 1 uncertain 1 unanswered 1 marked wrong Asked 3 times without a good answer',
  )
  const { html } = await owner.browser.get('/dashboard')
  expect(html).toMatch(/questions">1 unanswered/)
  expect(html.match(/<rect class="good" x="(0|72)"/g)).toHaveLength(2)
  expect(html).not.toContain('style=')
  const { browser: viewing } = await member(owner, 'viewer')
  expect((await viewing.get('/dashboard')).html).not.toMatch(/Last week|No questions|<rect/)
})

import { expect, test } from 'vitest'
import { askScreen, questionsScreen as screen } from './kept-questions.ts'
import { useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()
const settings = '/dashboard/settings'

test.each([
  ['question-log', 'log_questions', 'Save callers’ questions', 'are saved for 30 days.', 'are no longer saved.'],
  [
    'viewers-questions',
    'viewers_read_questions',
    'viewers read callers’ questions',
    'now on, viewers',
    'no longer read',
  ],
  ['auto-delete', 'auto_delete_done_calls', 'Delete completed calls', 'calls are deleted.', 'calls are kept.'],
  ['revisions', 'keep_revisions', 'Keep earlier texts of documents', 'documents are kept.', 'are no longer kept'],
] as const)('the switch %s is turned on and off, and says what that means', async (name, column, title, on, off) => {
  const { browser, organizationId } = await signedIn()
  const organization = stand.db.selectFrom('organizations').selectAll().where('id', '=', organizationId)
  for (const isOn of [true, false]) {
    const { text } = await browser.submit(`${settings}/${name}`, { on: `${isOn}` })
    expect(text).toContain(isOn ? on : off)
    for (const invalid of [{}, { on: 'maybe' }, { on: `${!isOn}`, agent: 'x' }] as Record<string, string>[])
      expect((await browser.post(`${settings}/${name}`, invalid)).status).toBe(400)
    expect((await browser.get(settings)).text).toContain(`${title} ${isOn ? 'On' : 'Off'}`)
    expect(await organization.executeTakeFirst()).toMatchObject({ [column]: isOn })
  }
})

test('saving questions is off at first, explained in their place, takes effect for the next caller, and keeps them once it is off', async () => {
  const owner = await signedIn()
  const { text } = await screen(owner)
  expect(text).toMatch(/Save callers’ questions Off .*for 30 days/)
  const path = `${settings}/question-log`
  const after = await owner.browser.submit(path, { on: 'true', agent: owner.agentId })
  expect(after.text).toContain('From now on, questions are saved for 30 days. No questions yet')
  await owner.call('POST', `${owner.knowledgeBase}/search`, { query: 'Do you sell cars?', mode: 'keyword' })
  expect((await askScreen(owner, { q: 'Do you sell cars?' })).status, 'is no caller’s').toBe(200)
  expect((await screen(owner)).text).toContain('“Do you sell cars?” Nothing found Asked just now')
  await owner.browser.submit(path, { on: 'false' })
  expect((await screen(owner)).text).toContain('“Do you sell cars?” Nothing found Asked just now')
})

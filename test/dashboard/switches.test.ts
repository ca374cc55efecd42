import { expect, test } from 'vitest'
import { askScreen, questionsScreen as screen } from './kept-questions.ts'
import { useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()
const settings = '/dashboard/settings'

test.each([
  ['question-log', 'log_questions', 'Save callers’ questions'],
  ['viewers-questions', 'viewers_read_questions', 'Let viewers read callers’ questions'],
  ['auto-delete', 'auto_delete_done_calls', 'Delete completed calls'],
  ['revisions', 'keep_revisions', 'Keep earlier texts of documents'],
] as const)('the switch %s is turned on and off', async (name, column, title) => {
  const { browser, organizationId } = await signedIn()
  const organization = stand.db.selectFrom('organizations').selectAll().where('id', '=', organizationId)
  for (const isOn of [true, false]) {
    const { text } = await browser.submit(`${settings}/${name}`, { on: `${isOn}` })
    expect(text).toContain(`“${title}” is ${isOn ? 'on' : 'off'}.`)
    expect(text).toContain(`${title} ${isOn ? 'On' : 'Off'}`)
    for (const invalid of [{}, { on: 'maybe' }] as Record<string, string>[])
      expect((await browser.post(`${settings}/${name}`, invalid)).status).toBe(400)
    expect(await organization.executeTakeFirst()).toMatchObject({ [column]: isOn })
  }
})

test('saving questions is off at first, which their place says, takes effect for the next caller, and keeps them once it is off', async () => {
  const owner = await signedIn()
  const { text, html } = await screen(owner)
  expect(text).toContain('Callers’ questions aren’t saved. Save them for 30 days.')
  expect(html).toContain(`href="${settings}">Save them`)
  const path = `${settings}/question-log`
  await owner.browser.submit(path, { on: 'true' })
  expect((await screen(owner)).text).not.toContain('aren’t saved')
  await owner.call('POST', `${owner.knowledgeBase}/search`, { query: 'Do you sell cars?', mode: 'keyword' })
  expect((await askScreen(owner, { q: 'Do you sell cars?' })).status, 'is no caller’s').toBe(200)
  expect((await screen(owner)).text).toContain('“Do you sell cars?” Nothing found Asked just now')
  await owner.browser.submit(path, { on: 'false' })
  expect((await screen(owner)).text).toContain('“Do you sell cars?” Nothing found Asked just now')
})

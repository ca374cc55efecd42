import { describe, expect, test } from 'vitest'
import { createKey } from '../../infra/admin/keys.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { storeQuestions } from '../support/documents/asked-questions.ts'
import { keepingOn, questionsScreen as screen } from './kept-questions.ts'
import { type SignedIn, useDashboard } from './support.ts'

const dashboard = useDashboard()
const { stand, signedIn } = dashboard
const keeping = () => keepingOn(dashboard)

describe('the switch', () => {
  const isOn = async ({ organizationId }: SignedIn) =>
    (await stand.db.selectFrom('organizations').selectAll().where('id', '=', organizationId).execute())[0]!
      .log_questions
  const switchPath = '/dashboard/settings/question-log'

  test('is off at first, is explained in place of the questions, and returns there', async () => {
    const owner = await signedIn()
    const { text } = await screen(owner)
    expect(text).toContain('Save callers’ questions Off')
    expect(text).toContain('for 30 days')
    const after = await owner.browser.submit(switchPath, { on: 'true', agent: owner.agentId })
    expect(after.text).toContain('From now on, questions are saved for 30 days. No questions yet')
    expect(await isOn(owner)).toBe(true)
  })

  test('is in the settings, where it can be switched off; logged questions stay until they are deleted', async () => {
    const owner = await keeping()
    await storeQuestions(stand, owner, { question: 'do you sell cars' })
    expect((await owner.browser.get('/dashboard/settings')).text).toContain('Save callers’ questions On')
    expect((await owner.browser.submit(switchPath, { on: 'false' })).text).toContain(
      'New questions are no longer saved.',
    )
    expect(await isOn(owner)).toBe(false)
    expect((await screen(owner)).text).toContain('do you sell cars')
  })

  test('stays off after an invalid form', async () => {
    const owner = await signedIn()
    for (const fields of [{}, { on: 'yes' }, { on: 'true', agent: 'x' }] as Record<string, string>[])
      expect((await owner.browser.post(switchPath, fields)).status).toBe(400)
    expect(await isOn(owner)).toBe(false)
  })

  test('takes effect for the next caller', async () => {
    const owner = await signedIn()
    await owner.browser.submit(switchPath, { on: 'true' })
    const { key } = await createKey(stand.db, {
      organizationId: owner.organizationId as OrganizationId,
      name: 'caller',
      permissions: ['kb:read'],
    })
    const body = { query: 'Do you sell cars?', mode: 'keyword' }
    await stand.http('POST', `${owner.knowledgeBase}/search`, body, { 'x-api-key': key })
    expect((await screen(owner)).text).toContain('“Do you sell cars?” Nothing found Asked')
  })
})

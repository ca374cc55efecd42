import { describe, expect, test } from 'vitest'
import { groupQuestions } from '../../functions/dashboard/unanswered/grouping.ts'
import { createAgent, createKey } from '../../infra/admin/tenants.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { readSet } from '../evaluation/labelled-set.ts'
import { keepQuestions, keptQuestions, storeQuestions } from '../support/asked-questions.ts'
import { type SignedIn, useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()

const path = ({ agentId }: { agentId: string }) => `/dashboard/agents/${agentId}/unanswered`
const screen = (owner: SignedIn) => owner.browser.get(path(owner))

async function keeping(): Promise<SignedIn> {
  const owner = await signedIn()
  await keepQuestions(stand, owner)
  return owner
}

/** What a form of the page would send that removes the group with this question. */
function removal(html: string, question: string): Record<string, string> {
  const row = html.split('<li>').find((row) => row.includes(`“${question}”`))!
  return Object.fromEntries(
    [...row.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  )
}

describe('the screen', () => {
  test('shows what search found little for in 30 days, in groups, the largest first', async () => {
    const owner = await keeping()
    await storeQuestions(
      stand,
      owner,
      { question: 'of last month', daysAgo: 31 },
      { question: 'do you sell cars', daysAgo: 3 },
      { question: 'can my parrot come', answerable: 0 },
      { question: 'answered', answerable: 0.9 },
      { question: 'um do you guys sell cars please' },
    )
    const { status, text } = await screen(owner)
    expect(status).toBe(200)
    expect(text).toContain('3 of 4 questions found little or nothing.')
    expect(text).toMatch(
      /“um do you guys sell cars please” Also “do you sell cars” Asked 2 times, last .* “can my parrot come” Asked once/,
    )
    expect(text).not.toContain('of last month')
    expect(text).not.toContain('“answered”')
  })

  test('has what is answered less often than not', async () => {
    const owner = await keeping()
    await storeQuestions(stand, owner, { question: 'low', answerable: 0.499 }, { question: 'even', answerable: 0.5 })
    const { text } = await screen(owner)
    expect(text).toContain('“low”')
    expect(text).not.toContain('“even”')
  })

  test('leads from a question to a document that answers it, whose title it is, and to Ask', async () => {
    const owner = await keeping()
    const question = 'do you sell "cars" & boats?'
    await storeQuestions(stand, owner, { question })
    const { html } = await screen(owner)
    const links = [...html.matchAll(/href="([^"]*(?:new\?title|ask\?q)=[^"]*)"/g)].map(([, link]) =>
      link!.replaceAll('&amp;', '&'),
    )
    expect(links).toHaveLength(2)
    const [write, ask] = await Promise.all(links.map((link) => owner.browser.get(link)))
    const escaped = 'value="do you sell &quot;cars&quot; &amp; boats?"'
    expect(write!.html).toContain(escaped)
    expect(ask!.html).toContain(escaped)
  })

  test('shows nothing but text of what was asked', async () => {
    const owner = await keeping()
    await storeQuestions(stand, owner, { question: `<script>alert(1)</script> "onload='x'` })
    const { html } = await screen(owner)
    expect(html).not.toContain('<script>alert')
    expect(html).toContain('“&lt;script&gt;alert(1)&lt;/script&gt; &quot;onload=&#39;x&#39;”')
  })

  test('says when there is nothing yet, and when nothing is unanswered', async () => {
    const owner = await keeping()
    expect((await screen(owner)).text).toContain('No questions yet')
    await storeQuestions(stand, owner, { question: 'answered', answerable: 0.9 })
    expect((await screen(owner)).text).toContain('No unanswered questions')
  })

  test('shows nothing of another agent or organization', async () => {
    const [owner, other] = [await keeping(), await keeping()]
    const second = await createAgent(stand.db, owner.organizationId as OrganizationId, 'Second')
    await storeQuestions(stand, other, { question: 'theirs' })
    await storeQuestions(stand, { ...owner, agentId: second.id }, { question: 'of the second' })
    expect((await screen(owner)).text).toContain('No questions yet')
    expect((await owner.browser.get(path(other))).status).toBe(404)
  })

  test('is for keys that may change documents: one that platforms are given reads no questions', async () => {
    const owner = await signedIn(['kb:read'])
    await storeQuestions(stand, owner, { question: 'do you sell cars' })
    const { status, text } = await screen(owner)
    expect(status).toBe(403)
    expect(text).not.toContain('cars')
    for (const action of ['delete', 'clear'])
      expect((await owner.browser.post(`${path(owner)}/${action}`)).status).toBe(403)
    expect(await keptQuestions(stand, owner)).toHaveLength(1)
  })
})

describe('a group', () => {
  test('is deleted as the page has shown it, and what was asked since stays', async () => {
    const owner = await keeping()
    const asked = ['do you sell cars', 'do you sell cars please', 'parrots']
    await storeQuestions(stand, owner, ...asked.map((question) => ({ question })))
    const { html } = await screen(owner)
    await storeQuestions(stand, owner, { question: 'um do you sell cars' })
    const after = await owner.browser.submit(`${path(owner)}/delete`, removal(html, 'do you sell cars please'))
    expect(after.text).toContain('2 questions were deleted.')
    expect((await keptQuestions(stand, owner)).map(({ question }) => question)).toEqual([
      'parrots',
      'um do you sell cars',
    ])
  })

  test('that is gone already deletes nothing, and says so', async () => {
    const owner = await keeping()
    await storeQuestions(stand, owner, { question: 'do you sell cars' }, { question: 'parrots' })
    const { html } = await screen(owner)
    const fields = removal(html, 'do you sell cars')
    await owner.browser.submit(`${path(owner)}/delete`, fields)
    expect((await owner.browser.submit(`${path(owner)}/delete`, fields)).text).toContain('no longer available')
    expect(await keptQuestions(stand, owner)).toHaveLength(1)
  })

  test('of another organization cannot be deleted', async () => {
    const [owner, other] = [await keeping(), await keeping()]
    const [id = ''] = await storeQuestions(stand, other, { question: 'theirs' })
    for (const where of [owner, other]) await owner.browser.post(`${path(where)}/delete`, { first: id, last: id })
    expect((await owner.browser.post(`${path(other)}/clear`)).status).toBe(404)
    expect(await keptQuestions(stand, other)).toHaveLength(1)
  })

  test('is gone with all others when everything is deleted, after a question', async () => {
    const owner = await keeping()
    const second = await createAgent(stand.db, owner.organizationId as OrganizationId, 'Second')
    await storeQuestions(stand, owner, { question: 'low' }, { question: 'answered', answerable: 0.9 })
    await storeQuestions(stand, { ...owner, agentId: second.id }, { question: 'of the second' })
    const asked = await owner.browser.get(`${path(owner)}/clear`)
    expect(asked.text).toContain('All 2 questions of the last 30 days will be deleted')
    expect(await keptQuestions(stand, owner)).toHaveLength(3)
    expect((await owner.browser.submit(`${path(owner)}/clear`)).text).toContain('2 questions were deleted.')
    expect((await keptQuestions(stand, owner)).map(({ question }) => question)).toEqual(['of the second'])
  })
})

describe('the switch', () => {
  const isOn = async ({ organizationId }: SignedIn) =>
    (await stand.db.selectFrom('organizations').selectAll().where('id', '=', organizationId).execute())[0]!
      .log_questions
  const switchPath = '/dashboard/settings/question-log'

  test('is off at first, explained where the questions would be, and leads back there', async () => {
    const owner = await signedIn()
    const { text } = await screen(owner)
    expect(text).toContain('Save callers’ questions Off')
    expect(text).toContain('for 30 days')
    const after = await owner.browser.submit(switchPath, { on: 'true', agent: owner.agentId })
    expect(after.text).toContain('From now on, questions are saved for 30 days. No questions yet')
    expect(await isOn(owner)).toBe(true)
  })

  test('is in the settings, where it is switched off again; what was kept stays until it is deleted', async () => {
    const owner = await keeping()
    await storeQuestions(stand, owner, { question: 'do you sell cars' })
    expect((await owner.browser.get('/dashboard/settings')).text).toContain('Save callers’ questions On')
    expect((await owner.browser.submit(switchPath, { on: 'false' })).text).toContain(
      'New questions are no longer saved.',
    )
    expect(await isOn(owner)).toBe(false)
    expect((await screen(owner)).text).toContain('do you sell cars')
  })

  test('is for keys that may change settings, and of their organization alone', async () => {
    const owner = await signedIn(['kb:read', 'kb:write', 'organization:read'])
    expect((await screen(owner)).html).not.toContain(switchPath)
    expect((await owner.browser.get('/dashboard/settings')).html).not.toContain(switchPath)
    expect((await owner.browser.post(switchPath, { on: 'true' })).status).toBe(403)
    expect(await isOn(owner)).toBe(false)
    const other = await signedIn()
    await other.browser.submit(switchPath, { on: 'true' })
    expect(await isOn(owner)).toBe(false)
  })

  test('of a form that is no form of ours changes nothing', async () => {
    const owner = await signedIn()
    for (const fields of [{}, { on: 'yes' }, { on: 'true', agent: 'x' }] as Record<string, string>[])
      expect((await owner.browser.post(switchPath, fields)).status).toBe(400)
    expect((await owner.browser.post(switchPath, { on: 'true' }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
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
    expect((await screen(owner)).text).toContain('“Do you sell cars?” Asked once')
  })
})

describe('questions that ask alike', () => {
  const grouped = (...questions: string[]) =>
    groupQuestions(questions.map((question) => ({ question }))).map((group) => group.map(({ question }) => question))

  test.each([
    ['are you open on sunday', 'um are you guys open sundays', 'Are you open on Sunday?', 'sunday opening hours'],
    ['do you have k double four seven one', 'is K-4471 in stock', 'k 4471'],
    ['is there parking', 'where can I park', 'where do i park my car'],
    ['is doctor kowalski in on friday', 'is dr kovalsky there friday'],
    ['habt ihr sonntags geöffnet', 'wann habt ihr am Sonntag offen'],
    ['half past nine', '9:30'],
    ['営業時間は', '営業時間はいつ'],
  ])('are one group: %s', (...questions) => {
    expect(grouped(...questions)).toEqual([expect.arrayContaining(questions)])
  })

  test.each([
    ['are you open on sunday', 'are you open on saturday'],
    ['do you have K-4471', 'do you have K-4472'],
    ['can i return a bike', 'can i rent a bike'],
    ['is it and', 'are you the'],
  ])('are two: %s, %s', (...questions) => {
    expect(grouped(...questions)).toHaveLength(2)
  })

  test('are no two of the questions of the evaluation, each of which asks for something else', () => {
    for (const { questions } of readSet(`${import.meta.dirname}/../evaluation/set`)) {
      const merged = groupQuestions(questions).filter((group) => group.length > 1)
      expect(merged.map((group) => group.map(({ question }) => question))).toEqual([])
    }
  })

  test('are grouped the same whenever they come in the same order, the most frequent wording first', () => {
    const asked = ['parrots', 'sell cars', 'um cars', 'parrots allowed', 'um cars', 'boats']
    const groups = grouped(...asked)
    expect(groups).toEqual([['um cars', 'sell cars', 'um cars'], ['parrots', 'parrots allowed'], ['boats']])
    expect(grouped(...asked)).toEqual(groups)
  })
})

import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { noDocument } from '../../functions/dashboard/checks/form.ts'
import { EmbeddingError } from '../../shared/embedding/embedder.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { newId } from '../../shared/ids.ts'
import { checksOf, formWith, get, hiddenIn, pageOf, serve } from './document-rows.ts'
import { browserOf, expectFault, type Page, signIn, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()
const sunday = 'On Sunday we are closed.'
const question = 'Are you open on Sunday?'
const listOf = ({ agentId }: { agentId: string }) => `/dashboard/agents/${agentId}/golden-questions`
const typed = { question, expected: '', words: 'Sunday we are closed', on_failure: 'warn' }

/** Somebody whose agent serves its opening hours. */
async function shop() {
  const tenant = await signedIn()
  const hours = await serve(stand, tenant, 'Hours', `We are open Monday to Saturday, 9 to 18. ${sunday}`)
  return { ...tenant, hours, document: `/dashboard/agents/${tenant.agentId}/documents/${hours}` }
}

describe('the tab of checks', () => {
  test('explains itself, and lists each question with its expectation and state', async () => {
    const tenant = await shop()
    const { browser } = tenant
    expect((await browser.get(listOf(tenant))).text).toContain('No checks yet')
    const made = await browser.submit(`${listOf(tenant)}/new`, { ...typed, on_failure: 'block' })
    expect(made.text).toContain('The check was saved. It passes.')
    expect(made.text).toContain('A part with the words “Sunday we are closed” should be found')
    expect(made.text).toContain('a change that breaks it is stopped')
    const other = { ...typed, question: 'Do you sell cars?', expected: tenant.hours, words: 'Volvo' }
    const failing = await browser.submit(`${listOf(tenant)}/new`, other)
    expect(failing.text).toContain('It fails now.')
    expect(failing.text).toContain('A part of “Hours” with the words “Volvo” should be found')
    expect(failing.text).toContain('you’re told of a change that breaks it')
    await sql`update golden_questions set passed = null, rank = null, checked_at = null
      where agent_id = ${tenant.agentId}`.execute(stand.db)
    expect((await browser.get(listOf(tenant))).text.match(/Not checked yet/g)).toHaveLength(2)
    const run = await browser.submit(`${listOf(tenant)}/run`)
    expect(run.text).toContain('1 of 2 pass.')
    expect(run.text.indexOf('Do you sell cars?')).toBeLessThan(run.text.indexOf(question))
  })

  test('keeps the value that a table should give', async () => {
    const tenant = await shop()
    const { browser } = tenant
    await serve(stand, tenant, 'Menu', '| Pizza | Small | Large |\n|---|---|---|\n| Diavola | £9.20 | £14.20 |')
    const large = { ...typed, question: 'what does a large diavola cost', words: '', value: '£14.20' }
    const made = await browser.submit(`${listOf(tenant)}/new`, large)
    expect(made.text).toContain('The check was saved. It passes.')
    expect(made.text).toContain('A table should give “£14.20”')
    expect(await checksOf(tenant)).toMatchObject([{ expects: { value: '£14.20' }, within: 3 }])
  })

  test('lets a question be kept by a link that names its document, once, and deleted', async () => {
    const tenant = await shop()
    const { browser } = tenant
    const query = new URLSearchParams({ question, document: tenant.hours })
    const { html } = await browser.get(`${listOf(tenant)}/new?${query}`)
    expect(html).toContain(`value="${question}"`)
    expect(html).toContain(`<option value="${tenant.hours}" selected>Hours</option>`)
    expect(html.match(/>Hours</g)).toHaveLength(1)
    const ofNone = { ...typed, expected: newId() }
    expectFault(await browser.post(`${listOf(tenant)}/new`, ofNone), 'expected', noDocument)
    await browser.submit(`${listOf(tenant)}/new`, typed)
    const [{ id }] = await checksOf(tenant)
    const again = await browser.post(`${listOf(tenant)}/new`, { ...typed, on_failure: 'block' })
    expect(again.headers.location).toBe(`${listOf(tenant)}#question-${id}`)
    expect((await browser.get(listOf(tenant))).text).toContain('You already keep this as a check.')
    const other = { ...typed, question: 'Do you sell cars?', expected: 'nothing' }
    await browser.submit(`${listOf(tenant)}/new`, other)
    const nothing = { question: other.question, expects: { nothing: true } }
    expect(await checksOf(tenant)).toMatchObject([nothing, { id, expects: { words: typed.words } }])
    expect((await browser.submit(`${listOf(tenant)}/${id}/delete`)).text).toContain('was deleted')
    expect(await checksOf(tenant)).toMatchObject([nothing])
    expect((await browser.post(`${listOf(tenant)}/${id}/delete`)).status).toBe(404)
  })
})

test('a new check stays in the form while the provider of embeddings is unavailable, and above the agent’s limit', async () => {
  const tenant = await shop()
  const embed = () => Promise.reject(new EmbeddingError('unavailable', 'stopped'))
  const without = browserOf(stand, { embedder: { ...lexicalEmbedder(), embed }, keySignIn: true })
  const browser = await signIn(without, tenant.apiKey)
  const { status, html, text } = await browser.post(`${listOf(tenant)}/new`, typed)
  expect([status, text]).toEqual([503, expect.stringContaining('Checks can’t be run at the moment')])
  expect(html).toContain(`value="${question}"`)
  expect(await checksOf(tenant)).toEqual([])
  await tenant.browser.submit(`${listOf(tenant)}/new`, typed)
  await sql`insert into golden_questions (organization_id, agent_id, id, question, words, within, on_failure, model, embedding)
    select organization_id, agent_id, gen_random_uuid(), question, words, within, on_failure, model, embedding
    from golden_questions, generate_series(2, 500) where agent_id = ${tenant.agentId}`.execute(stand.db)
  const refused = await tenant.browser.post(`${listOf(tenant)}/new`, { ...typed, question: 'Do you open on Sunday?' })
  expectFault(refused, 'question', 'An agent can have at most 500 checks, with 2 MB of text. Delete some first.')
})

describe('a change that would fail a blocking check', () => {
  async function guarded() {
    const tenant = await shop()
    await tenant.browser.submit(`${listOf(tenant)}/new`, { ...typed, on_failure: 'block' })
    return { ...tenant, get: () => tenant.call('GET', `${tenant.knowledgeBase}/${tenant.hours}`) }
  }

  test('by a deletion is made only on request, after the question and the lost text are shown', async () => {
    const { browser, document, get } = await guarded()
    const edits = hiddenIn((await browser.get(document)).html, 'edits')
    const refused = await browser.post(`${document}/delete`, { edits })
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('A check expects “Sunday we are closed”. Callers would get no answer.')
    expect(refused.text).toContain(`Now We are open Monday to Saturday, 9 to 18. ${sunday} After the change No answer.`)
    expect((await get()).status).toBe(200)
    const confirmed = await browser.submit(...formWith(refused.html, 'Delete all the same'))
    expect(confirmed.text).toContain('“Hours” is in the trash.')
    expect((await get()).status).toBe(404)
  })

  test('by an edit of dates is made only on request, and the form keeps its fields', async () => {
    const { browser, document, get } = await guarded()
    const edits = hiddenIn((await browser.get(`${document}/edit`)).html, 'edits')
    const edit = { title: 'New <hours>', edits, from: '', until: '2020-01-01' }
    const refused = await browser.post(`${document}/edit`, edit)
    expect(refused.status).toBe(409)
    expect(refused.text).toContain(question)
    expect((await get()).body).toMatchObject({ title: 'Hours', valid_until: null })
    await browser.submit(...formWith(refused.html, 'Make the change all the same'))
    expect((await get()).body).toMatchObject({ title: edit.title, valid_until: '2020-01-02T00:00:00.000Z' })
  })
})

describe('a new price that a check doesn’t expect', () => {
  const prices = (price: string) =>
    `| Treatment | Dog | Cat |\n|---|---|---|\n| Dental cleaning | ${price} | $45 |\n| Vaccination | $30 | $28 |`
  const asked = 'how much is dental cleaning for a dog'

  /** Somebody with a price list, which a check expects to say $58. `change` has the API save $64. */
  async function clinic(on_failure: 'block' | 'warn') {
    const tenant = await signedIn()
    const id = await serve(stand, tenant, 'Prices', prices('$58'))
    const check = { question: asked, expected: id, words: '', value: '$58', on_failure }
    expect((await tenant.browser.submit(`${listOf(tenant)}/new`, check)).text).toContain('It passes.')
    const page = pageOf(tenant, id)
    return {
      ...tenant,
      page,
      api: () => get(tenant, id),
      check: async () => (await checksOf(tenant))[0],
      async change() {
        await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { content: prices('$64') })
        await stand.deliver()
        return await tenant.browser.get(page)
      },
      /** Presses a button of the page. */
      async press({ html }: Page, button: string) {
        const pressed = await tenant.browser.submit(...formWith(html, button))
        await stand.deliver()
        return pressed
      },
    }
  }

  const isUpdated = { expects: { value: '$64' }, last_result: { passed: true } }

  test('is shown beside the old one before it is saved, and saved together with the check', async () => {
    const { browser, page, api, check } = await clinic('block')
    const edits = hiddenIn((await browser.get(`${page}/edit`)).html, 'edits')
    const typed = { title: 'Prices', content: prices('$64'), edits }
    const stopped = await browser.post(`${page}/edit`, typed)
    expect(stopped.status).toBe(409)
    expect(stopped.text).toContain('A check expects $58. The new text says $64.')
    expect(stopped.text).toMatch(
      /Old text Treatment Dog Cat Dental cleaning \$ ?58 .*New text Treatment Dog Cat Dental cleaning \$ ?64 /,
    )
    expect(stopped.html).toContain('| Dental cleaning | $64 | $45 |')
    expect(stopped.html).toContain('<button form="text-form" name="update" value="1">Update the check and serve it')
    expect(await api()).toMatchObject({ status: 'completed', content: prices('$58') })
    const kept = await browser.submit(...formWith(stopped.html, 'Keep the old version'))
    expect(kept.text).toContain('The old version stays.')
    expect((await browser.submit(`${page}/edit`, { ...typed, update: '1' })).text).toContain('was saved')
    await stand.deliver()
    expect(await api()).toMatchObject({ status: 'completed', content: prices('$64') })
    expect(await check()).toMatchObject(isUpdated)
  })

  test.each([
    ['Update the check and serve it', '$64'],
    ['Keep the old version', '$58'],
  ])('waits for a person if a program sent it, and “%s” ends with %s', async (button, price) => {
    const { agentId, browser, change, api, press } = await clinic('block')
    const stopped = await change()
    expect(stopped.text).toContain('Needs you A check expects something else than the new text says. Callers still get')
    expect(stopped.text).toContain('A check expects $58. The new text says $64.')
    expect(stopped.text).not.toMatch(/would find|Failed|\| Treatment/)
    const list = await browser.get(`/dashboard/agents/${agentId}/documents?show=needs`)
    expect(list.text).toContain('Current 1 Needs you 1 Past 0')
    expect(list.html).toContain('aria-label="Compare the texts of “Prices”"')
    expect((await press(stopped, button)).status).toBe(200)
    expect(await api()).toMatchObject({ status: 'completed', content: prices(price), warnings: [] })
    const [action, fields] = formWith(stopped.html, button)
    expect((await browser.submit(action, fields)).text).toContain('Nothing was changed: somebody has changed')
  })

  test.each([
    ['Update the check', '$64'],
    ['Keep the old version', '$58'],
    ['Dismiss', '$64'],
  ])('is served if the check only warns, and “%s” ends with %s', async (button, price) => {
    const { browser, page, change, api, press, check } = await clinic('warn')
    const warned = await change()
    expect(warned.text).toContain('A check expects $58. The text now says $64.')
    expect(warned.text).toMatch(/Before Treatment Dog Cat Dental cleaning \$ ?58 /)
    await press(warned, button)
    expect(await api()).toMatchObject({ status: 'completed', content: prices(price), warnings: [] })
    expect((await browser.get(page)).text).not.toContain('A check expects')
    expect((await check()).expects.value).toBe(button === 'Update the check' ? '$64' : '$58')
  })

  test('is named by the words that answered, or as an answer where none should be', async () => {
    const { browser, hours, document, call, knowledgeBase, ...tenant } = await shop()
    await browser.submit(`${listOf(tenant)}/new`, { ...typed, on_failure: 'warn' })
    const cars = { question: 'do you sell used cars', words: '', expected: 'nothing' }
    await browser.submit(`${listOf(tenant)}/new`, { ...typed, ...cars })
    await call('PATCH', `${knowledgeBase}/${hours}`, { content: 'On Sunday we are open. We sell used cars.' })
    await stand.deliver()
    const warned = await browser.get(document)
    expect(warned.text).toContain('A check expects “Sunday we are closed”. The text now says “On Sunday we are open.”')
    expect(warned.text).toContain('A check expects no answer. The text now says “We sell used cars.”')
    await browser.submit(...formWith(warned.html, 'Update the checks'))
    const expects = (await checksOf({ browser, call, knowledgeBase, ...tenant })).map(
      (each: { expects: object }) => each.expects,
    )
    expect(expects).toEqual([{ document_id: hours, words: 'We sell used cars.' }, { words: 'On Sunday we are open.' }])
  })
})

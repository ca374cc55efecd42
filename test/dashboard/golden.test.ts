import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { EmbeddingError } from '../../shared/embedding/embedder.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { newId } from '../../shared/ids.ts'
import { checksOf, formWith, get, hiddenIn, pageOf, serve } from './document-rows.ts'
import { browserOf, linkIn, type Page, type SignedIn, signIn, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()
const sunday = 'On Sunday we are closed.'
const question = 'Are you open on Sunday?'
const listOf = ({ agentId }: { agentId: string }) => `/dashboard/agents/${agentId}/golden-questions`
const words = 'Sunday we are closed'

/** Makes a check by the API, which can also make those that only warn. */
const make = (tenant: SignedIn, check: { question: string; expects: object; on_failure?: 'warn' | 'block' }) =>
  tenant.call('POST', `/v1/agents/${tenant.agentId}/golden-questions`, { on_failure: 'block', ...check })

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
    const made = await browser.submit(listOf(tenant), { question, document_id: tenant.hours, words })
    expect(made.text).toContain('The check was saved. It passes.')
    expect(made.text).toContain(`Expects “${words}” from Hours`)
    const failing = { question: 'Do you sell cars?', expects: { words: 'Volvo' }, on_failure: 'warn' } as const
    await make(tenant, failing)
    const { text } = await browser.get(listOf(tenant))
    expect(text).toContain('“Do you sell cars?” Fails Expects “Volvo”')
    expect(text).toContain('only warns of a change that breaks it')
    expect(text.indexOf('Do you sell cars?')).toBeLessThan(text.indexOf(question))
    await sql`update golden_questions set passed = null, rank = null, checked_at = null
      where agent_id = ${tenant.agentId}`.execute(stand.db)
    expect((await browser.get(listOf(tenant))).text.match(/Not checked yet/g)).toHaveLength(2)
  })

  test('keeps the value of a table', async () => {
    const tenant = await shop()
    const { browser } = tenant
    const menu = await serve(
      stand,
      tenant,
      'Menu',
      '| Pizza | Small | Large |\n|---|---|---|\n| Diavola | £9.20 | £14.20 |',
    )
    const large = { question: 'what does a large diavola cost', document_id: menu, value: '£14.20' }
    const made = await browser.submit(listOf(tenant), large)
    expect(made.text).toContain('The check was saved. It passes.')
    expect(made.text).toContain('Expects “£14.20” from Menu')
    expect(await checksOf(tenant)).toMatchObject([{ expects: { value: '£14.20' }, within: 3 }])
  })

  test('keeps an answer once, also that there is none, and deletes it', async () => {
    const tenant = await shop()
    const { browser } = tenant
    const kept = { question, document_id: tenant.hours, words }
    await browser.submit(listOf(tenant), kept)
    const [{ id }] = await checksOf(tenant)
    const again = await browser.post(listOf(tenant), kept)
    expect(again.headers.location).toBe(`${listOf(tenant)}#question-${id}`)
    expect((await browser.get(listOf(tenant))).text).toContain('You already keep this as a check.')
    const cars = 'Do you sell cars?'
    await browser.submit(listOf(tenant), { question: cars })
    const nothing = { question: cars, expects: { nothing: true } }
    expect(await checksOf(tenant)).toMatchObject([nothing, { id, expects: { words }, on_failure: 'block' }])
    expect((await browser.submit(`${listOf(tenant)}/${id}/delete`)).text).toContain('was deleted')
    expect(await checksOf(tenant)).toMatchObject([nothing])
    expect((await browser.post(`${listOf(tenant)}/${id}/delete`)).status).toBe(404)
  })
})

test('a check that can’t be kept leads back to its question in Ask, which says why', async () => {
  const tenant = await shop()
  const kept = { question, document_id: tenant.hours, words }
  const embed = () => Promise.reject(new EmbeddingError('unavailable', 'stopped'))
  const without = browserOf(stand, { embedder: { ...lexicalEmbedder(), embed }, keySignIn: true })
  const browser = await signIn(without, tenant.apiKey)
  const refused = await browser.post(listOf(tenant), kept)
  expect(refused.headers.location).toBe(`/dashboard/agents/${tenant.agentId}/ask?q=Are+you+open+on+Sunday%3F`)
  expect((await browser.get(listOf(tenant))).text).toContain('Checks can’t be run at the moment')
  const ofDeleted = await tenant.browser.submit(listOf(tenant), { ...kept, document_id: newId() })
  expect(ofDeleted.text).toContain('The document that answered was deleted. Ask again.')
  expect(await checksOf(tenant)).toEqual([])
  await tenant.browser.submit(listOf(tenant), kept)
  await sql`insert into golden_questions (organization_id, agent_id, id, question, words, within, on_failure, model, embedding)
    select organization_id, agent_id, gen_random_uuid(), question, words, within, on_failure, model, embedding
    from golden_questions, generate_series(2, 500) where agent_id = ${tenant.agentId}`.execute(stand.db)
  const above = await tenant.browser.submit(listOf(tenant), { ...kept, question: 'Do you open on Sunday?' })
  expect(above.text).toContain('An agent can have at most 500 checks, with 2 MB of text. Delete some first.')
})

describe('a change that would fail a blocking check', () => {
  async function guarded() {
    const tenant = await shop()
    await make(tenant, { question, expects: { words } })
    return { ...tenant, get: () => tenant.call('GET', `${tenant.knowledgeBase}/${tenant.hours}`) }
  }

  test('by a deletion is made only on request, after the question and the lost text are shown', async () => {
    const { browser, document, get } = await guarded()
    const edits = hiddenIn((await browser.get(document)).html, 'edits')
    const refused = await browser.post(`${document}/delete`, { edits })
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('Without “Hours”, callers would no longer get what your checks expect.')
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
    const expects = { document_id: id, value: '$58' }
    const { body } = await make(tenant, { question: asked, expects, on_failure })
    expect(body.last_result.passed).toBe(true)
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
    expect(linkIn(stopped.html, 'Keep the old version')).toBe(page)
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
    expect(stopped.text).toContain('A check expects something else than the new text says. Callers still get')
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

  test('is shown beside the text of now before an earlier text is restored', async () => {
    const { browser, page, change, api, press, check } = await clinic('block')
    await press(await change(), 'Update the check and serve it')
    const [path, fields] = formWith((await browser.get(`${page}/history/1`)).html, 'Restore this text')
    const stopped = await browser.post(path, fields)
    expect(stopped.status).toBe(409)
    expect(stopped.text).toContain('A check expects $64. The earlier text says $58.')
    expect(stopped.text).toMatch(/Text of now .* \$ ?64 .*Earlier text .* \$ ?58 /)
    expect(linkIn(stopped.html, 'Keep the text of now')).toBe(page)
    expect(await api()).toMatchObject({ status: 'completed', content: prices('$64') })
    const [action, sent] = formWith(stopped.html, 'Update the check and serve it')
    expect(action).toBe(path)
    expect((await browser.submit(action, { ...sent, update: '1' })).text).toContain('gets its earlier text again.')
    await stand.deliver()
    expect(await api()).toMatchObject({ status: 'completed', content: prices('$58') })
    expect((await check()).expects.value).toBe('$58')
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
    const tenant = await shop()
    const { browser, hours, document, call, knowledgeBase } = tenant
    await make(tenant, { question, expects: { words }, on_failure: 'warn' })
    await make(tenant, { question: 'do you sell used cars', expects: { nothing: true }, on_failure: 'warn' })
    await call('PATCH', `${knowledgeBase}/${hours}`, { content: 'On Sunday we are open. We sell used cars.' })
    await stand.deliver()
    const warned = await browser.get(document)
    expect(warned.text).toContain('A check expects “Sunday we are closed”. The text now says “On Sunday we are open.”')
    expect(warned.text).toContain('A check expects no answer. The text now says “We sell used cars.”')
    await browser.submit(...formWith(warned.html, 'Update the checks'))
    const expects = (await checksOf(tenant)).map((each: { expects: object }) => each.expects)
    expect(expects).toEqual([{ document_id: hours, words: 'We sell used cars.' }, { words: 'On Sunday we are open.' }])
  })
})

import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { dashboardApp } from '../../functions/dashboard/app.ts'
import { words } from '../../functions/dashboard/words.ts'
import { EmbeddingError } from '../../shared/embedding/embedder.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { configuredBucket } from '../../shared/files/bucket.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { databaseAs, keptQueue } from '../support/worker.ts'
import { write } from './document-rows.ts'
import { newBrowser, type SignedIn, signIn, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()
const sunday = 'On Sunday we are closed.'
const question = 'Are you open on Sunday?'
const listOf = ({ agentId }: { agentId: string }) => `/dashboard/agents/${agentId}/golden-questions`
const typed = { question, expected: '', words: 'Sunday we are closed', within: '3', on_failure: 'warn' }

/** Somebody whose agent serves its opening hours. */
async function shop() {
  const tenant = await signedIn()
  const hours = await write(tenant, 'Hours', `We are open Monday to Saturday, 9 to 18. ${sunday}`)
  await stand.deliver()
  return { ...tenant, hours, document: `/dashboard/agents/${tenant.agentId}/documents/${hours}` }
}

/** A browser of a dashboard whose embedder fails. */
async function withoutProvider({ apiKey }: SignedIn) {
  const embed = () => Promise.reject(new EmbeddingError('unavailable', 'stopped'))
  const app = dashboardApp({
    db: databaseAs('cuecard_dashboard'),
    embedder: { ...lexicalEmbedder(), embed },
    queue: keptQueue().queue,
    bucket: configuredBucket(),
  })
  return await signIn(newBrowser(stand, undefined, lambdaHandler(app)), apiKey)
}

async function stored({ call, agentId }: SignedIn) {
  return (await call('GET', `/v1/agents/${agentId}/golden-questions`)).body.data
}

describe('the tab of golden questions', () => {
  test('says what belongs there, and lists each question with what it expects and its state', async () => {
    const tenant = await shop()
    const { browser } = tenant
    expect((await browser.get(listOf(tenant))).text).toContain(words.golden.none)
    const made = await browser.submit(`${listOf(tenant)}/new`, { ...typed, on_failure: 'block' })
    expect(made.text).toContain('The golden question was saved. It passes.')
    expect(made.text).toContain('A passage with the words “Sunday we are closed” should be among the first 3')
    expect(made.text).toContain('blocks changes')
    expect(made.text).toContain('Passes, rank 1')
    const other = { ...typed, question: 'Do you sell cars?', expected: tenant.hours, words: 'Volvo', within: '1' }
    const failing = await browser.submit(`${listOf(tenant)}/new`, other)
    expect(failing.text).toContain('It fails now.')
    expect(failing.text).toContain('A passage of “Hours” with the words “Volvo” should be first')
    await sql`update golden_questions set passed = null, rank = null, checked_at = null where agent_id = ${tenant.agentId}`.execute(
      stand.db,
    )
    expect((await browser.get(listOf(tenant))).text.match(/Not checked yet/g)).toHaveLength(2)
    const run = await browser.submit(`${listOf(tenant)}/run`)
    expect(run.text).toContain('1 of 2 pass.')
    expect(run.text.indexOf('Do you sell cars?')).toBeLessThan(run.text.indexOf(question))
  })

  test('lets a question be changed and deleted', async () => {
    const tenant = await shop()
    const { browser } = tenant
    await browser.submit(`${listOf(tenant)}/new`, typed)
    const [{ id }] = await stored(tenant)
    const { html } = await browser.get(`${listOf(tenant)}/${id}/edit`)
    expect(html).toContain('value="Sunday we are closed"')
    await browser.submit(`${listOf(tenant)}/${id}/edit`, { ...typed, expected: 'nothing', words: '', within: '2' })
    expect(await stored(tenant)).toMatchObject([
      { question, expects: { nothing: true }, within: 2, on_failure: 'warn' },
    ])
    expect((await browser.get(`${listOf(tenant)}/${id}/delete`)).text).toContain(question)
    expect((await browser.submit(`${listOf(tenant)}/${id}/delete`)).text).toContain('was deleted')
    expect(await stored(tenant)).toEqual([])
    expect((await browser.post(`${listOf(tenant)}/${id}/delete`)).status).toBe(404)
  })
})

describe('a new golden question', () => {
  test('is filled in with the question and the document that its link names', async () => {
    const tenant = await shop()
    const query = new URLSearchParams({ question, document: tenant.hours })
    const { html } = await tenant.browser.get(`${listOf(tenant)}/new?${query}`)
    expect(html).toContain(`value="${question}"`)
    expect(html).toContain(`<option value="${tenant.hours}" selected>Hours</option>`)
    expect(html.match(/>Hours</g)).toHaveLength(1)
  })

  test.each([
    ['question', { question: ' ' }, words.golden.form.noQuestion],
    ['question', { question: 'a'.repeat(8001) }, words.golden.form.longQuestion],
    ['expected', { expected: 'x' }, words.golden.form.noDocument],
    ['expected', { expected: '01981f3e-7f10-7c54-b1f5-3d1a5e0f9c21' }, words.golden.form.noDocument],
    ['words', { words: '' }, words.golden.form.noPassage],
    ['words', { expected: 'nothing' }, words.golden.form.nothingAndWords],
    ['words', { words: 'a'.repeat(1001) }, words.golden.form.longWords],
    ['within', { within: '11' }, words.golden.form.noWithin],
    ['on_failure', { on_failure: 'x' }, words.golden.form.noOnFailure],
  ])('says at the field %s what is wrong with %o, and is not saved', async (field, wrong, message) => {
    const tenant = await shop()
    const { status, html } = await tenant.browser.post(`${listOf(tenant)}/new`, { ...typed, ...wrong })
    expect(status).toBe(422)
    expect(html).toMatch(new RegExp(`id="${field}-fault" class="fault">.*${message.slice(0, 20)}`))
    expect(await stored(tenant)).toEqual([])
  })

  test('past the limit of an agent is refused at its field', async () => {
    const tenant = await shop()
    await tenant.browser.submit(`${listOf(tenant)}/new`, typed)
    await sql`insert into golden_questions (organization_id, agent_id, id, question, words, within, on_failure, model, embedding, high,
        middle, low, cosine_per_unit)
      select organization_id, agent_id, gen_random_uuid(), question, words, within, on_failure, model, embedding, high, middle, low,
        cosine_per_unit
      from golden_questions, generate_series(2, 500) where agent_id = ${tenant.agentId}`.execute(stand.db)
    const { status, text } = await tenant.browser.post(`${listOf(tenant)}/new`, typed)
    expect(status).toBe(422)
    expect(text).toContain('An agent can have at most 500 golden questions')
  })

  test('is kept in the form while the provider of embeddings is away', async () => {
    const tenant = await shop()
    const browser = await withoutProvider(tenant)
    const { status, html, text } = await browser.post(`${listOf(tenant)}/new`, typed)
    expect(status).toBe(503)
    expect(text).toContain('Questions can’t be checked at the moment')
    expect(html).toContain(`value="${question}"`)
    expect(await stored(tenant)).toEqual([])
  })
})

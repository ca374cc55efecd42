import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { storeQuestions } from '../../support/documents/asked-questions.ts'
import { useStand } from '../../support/stand/stand.ts'
import { executablePath } from '../../support/tools/chromium.ts'
import { makeHeld, makeThings, screensOf } from '../routes.ts'
import { openAll } from '../shortcomings.ts'
import { useSignedIn } from './signed-in.ts'

const stand = useStand()

const runs = (place: string) => `window.ran='${place}'`
/** Text that runs in a page that treats it as markup, script, template or address. */
const planted = (place: string) =>
  [
    `§${place}§<img src=x onerror="${runs(place)}"><script>${runs(place)}</script></script></title></textarea></template>`,
    `<svg onload="${runs(place)}">" autofocus onfocus="${runs(place)}" x='`,
    `{{constructor.constructor("${runs(place)}")()}} \${7*7} <%=7*7%> [x](javascript:${runs(place)})`,
    `<a href="javascript:${runs(place)}">x</a> \u202Edesrever\u202C`,
  ].join(' ')
const brief = (place: string) => `§${place}§"><img src=x onerror=${runs(place)}><b onclick=x>{{7*7}}\u202E`
const mark = (place: string) => new RegExp(`§${place}§(<img src=x onerror|"><img src=x onerror)`)

/** Everything that a person reads or hears, with the values of fields. It is text because it runs in the browser. */
const readable = `[document.title, document.body.textContent, ...[...document.querySelectorAll('*')].flatMap((element) =>
  [element.value, element.placeholder, element.getAttribute('aria-label'), element.title].filter((text) => typeof text === 'string'))].join('\\n')`

/** Elements that only a planted text could have brought. */
const alien = `[...document.querySelectorAll('img[src=x], svg[onload], [onerror], [onclick], [onfocus], script:not([src])')].map((element) => element.outerHTML)`

/** Expects that no planted text has run. @param expected messages that the browser may log @returns what the page says */
async function harmless(page: Page, wrong: string[], where: string, expected?: RegExp) {
  await page.evaluate(openAll)
  // No crawl stores such an address; if one did, the policy refuses to follow it.
  for (const link of await page.locator('a[href^="javascript:" i]').all()) {
    expect(where).toContain('/sources/')
    await link.click({ force: true })
    await expect.poll(() => wrong.pop()).toContain('Running the JavaScript URL violates')
  }
  expect(await page.evaluate('window.ran'), where).toBeUndefined()
  expect(await page.evaluate(alien), where).toEqual([])
  const unexpected = wrong.filter((each) => !expected?.test(each))
  expect(unexpected, where).toEqual([])
  return String(await page.evaluate(readable))
}

async function plant() {
  const { db } = stand
  const tenant = await stand.tenant()
  const { organizationId, agentId, call, knowledgeBase } = tenant
  const ids = await makeThings(db, tenant)
  const body = { title: planted('title'), content: `${planted('text')}\n\n| ${planted('cell')} |\n|---|\n| 1 € |` }
  const metadata = { [brief('key')]: planted('metadata') }
  const { body: text } = await call('POST', knowledgeBase, { ...body, metadata })
  await call('POST', knowledgeBase, { ...body, content: body.content.replace('1 €', '2 €') })
  const heldId = await makeHeld(db, tenant, text.id)
  await stand.deliver()
  const hits = [{ document_id: text.id, revision: 1, chunk_index: 0, score: 0.5 }]
  const asked = { question: planted('question'), call_id: brief('call'), hits: JSON.stringify(hits) }
  await storeQuestions(stand, tenant, asked)
  const warned = [ids.goldenQuestionId, ids.personId]
  const golden = JSON.stringify(warned.map((id) => ({ golden_question_id: id, question: planted('warning') })))
  const inOrganization = sql`where organization_id = ${organizationId}`
  for (const change of [
    sql`update organizations set name = ${planted('organization')}, log_questions = true where id = ${organizationId}`,
    sql`update agents set name = ${planted('agent')} ${inOrganization}`,
    sql`update people set mail = ${brief('mail') + ids.personId} where id = ${ids.personId}`,
    sql`update api_keys set name = ${planted('name of a key')} ${inOrganization}`,
    sql`update documents set title = ${planted('title of a file')}, status = 'error', error_message = ${planted('error')},
      source_url = source_url || ${encodeURIComponent(brief('file'))} where id = ${ids.documentId}`,
    sql`update documents set title = ${planted('held')}, extracted_text = ${planted('text of a file')},
      corrections = ${JSON.stringify([{ before: planted('lost'), after: planted('correction') }])}::jsonb where id = ${heldId}`,
    sql`update documents set warnings = ${golden}::jsonb where id = ${text.id}`,
    sql`update document_revisions set title = ${planted('earlier title')}, content = ${planted('earlier text')} ${inOrganization}`,
    sql`update golden_questions set question = ${planted('golden question')}, words = ${planted('words')} ${inOrganization}`,
    sql`update sources set url = ${`https://x.example/${planted('source')}`}, error_message = ${planted('error of a source')},
      status = 'error', notice = ${planted('notice')}, include = ${[planted('path')]} ${inOrganization}`,
    sql`insert into oauth_clients (id, name, redirect_uris) values (${ids.personId}, ${planted('app')}, ${['https://x.example/']})`,
    sql`update source_pages set left_out = ${planted('left out')} ${inOrganization}`,
    sql`insert into source_pages (organization_id, agent_id, source_id, address, crawl, looked_at) values
      (${organizationId}, ${agentId}, ${ids.sourceId}, ${`javascript:${runs('address')}//${planted('address')}`}, 1, now())`,
  ])
    await change.execute(db)
  return { tenant, ids, textId: text.id as string, heldId }
}

const places = [
  ...['title', 'text', 'cell', 'question', 'warning', 'organization', 'agent', 'name of a key', 'title of a file'],
  ...['error', 'file', 'held', 'text of a file', 'lost', 'correction', 'earlier title', 'earlier text', 'words'],
  ...['golden question', 'source', 'error of a source', 'notice', 'path', 'left out', 'address'],
  ...['typed', 'asked', 'mail', 'app'],
]

describe.runIf(executablePath)('planted texts (needs chromium, or CHROMIUM with its path)', () => {
  const { open, signInAsOwner } = useSignedIn(stand)

  test('are shown on the screens as they were stored, and run nowhere', { timeout: 400_000 }, async () => {
    const { tenant, ids, textId, heldId } = await plant()
    const { page, wrong } = await open(tenant, '/dashboard')
    const { origin } = new URL(page.url())
    await signInAsOwner(page, tenant)
    const home = `/dashboard/agents/${ids.agentId}`
    const asked = encodeURIComponent(planted('asked'))
    const consent = new URLSearchParams({
      client_id: ids.personId,
      redirect_uri: 'https://x.example/',
      response_type: 'code',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      resource: `${origin}/v1/agents/${ids.agentId}/connect/mcp`,
    })
    let seen = ''
    for (const path of new Set([
      ...[ids, { ...ids, documentId: textId }].flatMap(screensOf),
      ...[`${home}/documents/${heldId}`, `${home}/documents?q=${asked}`, `${home}/documents/new?question=${asked}`],
      ...[`${home}/ask?q=${asked}`, `${home}/questions?show=all`, `${home}/sources/${ids.sourceId}?show=left_out`],
      `${home}/call?id=${encodeURIComponent(brief('call'))}`,
      `${home}/documents/${textId}/edit?question=${asked}`,
      `/dashboard/sign-in?to=${asked}`,
      `/dashboard/connect?${consent}`,
    ])) {
      await page.goto(origin + path)
      // There is no page for a missing revision, or for an app without an id.
      seen += await harmless(page, wrong, path, /status of 40[04]/)
    }
    for (const path of ['/documents/new', '/sources/new']
      .map((path) => home + path)
      .concat(['keys', 'people'].map((of) => `/dashboard/settings/${of}/new`))) {
      await page.goto(origin + path)
      await page.evaluate(`{
        const form = document.querySelector('main form')
        form.noValidate = true
        for (const field of form.elements) if (/text|url|email|textarea|date/.test(field.type)) {
          field.type = field.type === 'textarea' ? undefined : 'text'
          field.removeAttribute('maxlength')
          field.value = ${JSON.stringify(planted('typed'))}
        }
      }`)
      await page.locator('main form').first().getByRole('button').first().click()
      await page.waitForLoadState()
      seen += await harmless(page, wrong, `${path}, sent`, /status of 4\d\d|does not conform to the required format/)
    }
    expect(places.filter((place) => !mark(place).test(seen))).toEqual([])
  })

  test('are shown by the reference as the API returned them, and run nowhere', async () => {
    const { tenant, textId } = await plant()
    const { page, wrong } = await open(tenant, '/v1/docs')
    await page.getByRole('button', { name: 'Set key and agent' }).click()
    await page.getByLabel('API key').fill(tenant.apiKey)
    await page.getByLabel('Agent id').fill(tenant.agentId)
    await page.getByRole('button', { name: 'Done' }).click()
    const send = async (operation: string, fields: Record<string, string> = {}) => {
      const panel = page.locator(`#${operation} form.call`)
      await panel.getByText('Change the request').click()
      for (const [selector, value] of Object.entries(fields)) await panel.locator(selector).fill(value)
      await panel.getByRole('button', { name: 'Send' }).click()
      await panel.locator('.answer pre').first().waitFor()
    }
    await send('getDocument', { '[data-value=DOCUMENT_ID]': textId })
    await send('listQuestions')
    await send('listGoldenQuestions')
    await send('getOrganization')
    await send('createDocument', { '.body': JSON.stringify({ title: planted('sent'), content: planted('sent') }) })
    await send('search', { '.body': JSON.stringify({ query: planted('searched') }) })
    const seen = (await harmless(page, wrong, '/v1/docs')).replaceAll('\\"', '"')
    const returned = ['title', 'key', 'metadata', 'question', 'call', 'golden question', 'organization', 'sent']
    for (const place of [...returned, 'searched']) expect(seen, place).toMatch(mark(place))
  })
})

import { beforeAll, describe, expect, test } from 'vitest'
import { dashboardApp } from '../../functions/dashboard/app.ts'
import { createKey } from '../../infra/admin/tenants.ts'
import { type Embedder, EmbeddingError } from '../../shared/embedding/embedder.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { configuredPresigner } from '../../shared/files/presigner.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { keepQuestions, keptQuestions } from '../support/asked-questions.ts'
import { useFakeProvider } from '../support/fake-provider.ts'
import { known, storeKnown } from '../support/known-documents.ts'
import { newEmbedder } from '../support/own-search.ts'
import { useRequestCount } from '../support/request-count.ts'
import { databaseAs, keptQueue } from '../support/worker.ts'
import { newBrowser, type SignedIn, signIn, useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()
const provider = useFakeProvider()

const requestsOf = useRequestCount()

async function withDocuments(): Promise<SignedIn & { documents: string[] }> {
  const owner = await signedIn()
  return { ...owner, documents: await storeKnown(stand, owner) }
}

/** Of the tests that only ask. */
let owner: Awaited<ReturnType<typeof withDocuments>>
beforeAll(async () => {
  owner = await withDocuments()
})

const askPath = (agentId: string, query: Record<string, string> = {}) =>
  `/dashboard/agents/${agentId}/ask?${new URLSearchParams(query)}`
const ask = ({ browser, agentId }: SignedIn, q: string, more: Record<string, string> = {}) =>
  browser.get(askPath(agentId, { q, ...more }))
const marks = (html: string) => [...html.matchAll(/<mark>([^<]*)<\/mark>/g)].map(([, text]) => text)

describe('a question', () => {
  test('is answered as a voice agent’s is, with the words marked that were found, and links to the passages', async () => {
    const query = 'um are you open on sundays'
    const { status, html, text } = await ask(owner, query)
    const { body } = await owner.call('POST', `${owner.knowledgeBase}/search`, { query })
    expect(status).toBe(200)
    const found = body.data.map(({ document_id }: { document_id: string }) => document_id)
    const links = [...html.matchAll(/href="\/dashboard\/agents\/[^/]+\/documents\/([^?"]+)\?passage=1#passage-1"/g)]
    expect(links.map(([, id]) => id)).toEqual(found)
    expect(marks(html)).toEqual(expect.arrayContaining(['Sunday', 'open']))
    expect(text).toContain('Searched for open , sundays .')
    expect(text).toContain(body.data[0].score.toFixed(4))
    expect(text).toMatch(/Found in [\d.]+ ms: [\d.]+ ms for the meaning of the question, [\d.]+ ms in the database/)
  })

  test('whose answer is a cell of a table shows it as a caller would hear it', async () => {
    const pizzeria = await signedIn()
    const content =
      '| Pizza | Small | Large |\n| --- | --- | --- |\n| Diavola | £9.20 | £14.20 |\n| Truffle | £11 | £15 |'
    await pizzeria.call('POST', pizzeria.knowledgeBase, { title: 'Menu', content })
    await stand.deliver()
    expect((await ask(pizzeria, 'what does a large diavola cost')).text).toContain('hear: “Large, Diavola: £14.20”.')
    expect((await ask(pizzeria, 'do you have parking')).text).not.toContain('hear: “')
  })

  test('may have words that no document has, and the screen says which', async () => {
    const { text } = await ask(owner, 'do you bake bread for zebras')
    expect(text).toContain('zebras (in no document)')
    expect(text).toContain('doesn’t have “zebras”')
    expect(text).toContain('has “bread”')
  })

  test('that finds little leads to a document that answers it, for a key that may write one', async () => {
    const { key } = await createKey(stand.db, {
      organizationId: owner.organizationId as OrganizationId,
      name: 'reader',
      permissions: ['kb:read'],
    })
    const reader = { ...owner, browser: await signIn(newBrowser(stand), key) }
    const link = `documents/new?title=${new URLSearchParams({ t: 'Do you sell cars?' }).toString().slice(2)}`
    for (const [each, hasLink] of [
      [owner, true],
      [reader, false],
    ] as const) {
      const { html, text } = await ask(each, 'Do you sell cars?')
      expect(text).toContain('Your agent may have no answer to this')
      expect(text).toContain('cars (in no document)')
      expect(html.includes(link)).toBe(hasLink)
    }
  })

  test('of only stop words is told apart from one without an answer', async () => {
    const { text } = await ask(owner, 'is it and')
    expect(text).toContain('there is nothing to search for')
    expect(text).not.toContain('may have no answer')
  })

  test('may be asked by words or by meaning alone', async () => {
    const byWords = await ask(owner, 'park for guests', { mode: 'keyword' })
    expect(byWords.text).toContain('By meaning (cosine) not compared')
    const byMeaning = await ask(owner, 'park for guests', { mode: 'semantic' })
    expect(byMeaning.text).toContain('By words not compared')
    expect(byMeaning.text).not.toContain('Searched for')
    expect((await ask(owner, 'park', { mode: 'bogus' })).status).toBe(200)
  })

  test('is not kept, whatever the organization keeps of its callers', async () => {
    const owner = await withDocuments()
    await keepQuestions(stand, owner)
    await ask(owner, 'Where do guests park?')
    expect(await keptQuestions(stand, owner)).toEqual([])
  })

  test('costs the database few round trips: the session, the agent, the titles, the search and what explains it', async () => {
    await ask(owner, 'Where do guests park?')
    expect(await requestsOf(() => ask(owner, 'Where do guests park?'))).toBe(5)
  })

  test('shows nothing but text of what it says', async () => {
    const owner = await withDocuments()
    const said = `<img src=x onerror=alert(1)> "bread" '&lt;script>`
    await owner.call('POST', owner.knowledgeBase, { title: `${said} title`, content: `${said} content of bread` })
    await stand.deliver()
    const { html } = await ask(owner, said)
    expect(html).not.toMatch(/<img|<script>|onerror=alert\(1\)>(?!&)/)
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(html).toContain(
      `value="${said.replace(/[<>"'&]/g, (sign) => `&${{ '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39', '&': 'amp' }[sign]};`)}"`,
    )
  })

  test('is refused to a key that may not read, and about an agent of others', async () => {
    const other = await signedIn()
    expect((await ask({ ...owner, agentId: other.agentId }, 'bread')).status).toBe(404)
    expect((await ask({ ...owner, agentId: other.agentId }, '')).status).toBe(404)
    expect((await owner.browser.part(askPath(other.agentId, { title: 'a' }))).status).toBe(404)
    const without = await signedIn(['organization:read'])
    expect((await ask(without, 'bread')).status).toBe(403)
  })
})

describe('before a question', () => {
  test('three are proposed that are made of the agent’s own titles', async () => {
    const { html, text } = await owner.browser.get(askPath(owner.agentId))
    const examples = [...html.matchAll(/href="([^"]*ask\?q=[^"]*)"/g)].map(([, path]) => path!.replaceAll('&amp;', '&'))
    expect(examples).toHaveLength(3)
    for (const [title] of Object.values(known)) expect(text).toContain(title)
    expect((await owner.browser.get(examples[0]!)).text).toContain('Searched for')
  })

  test('of an agent without ready documents, the screen leads to them', async () => {
    const owner = await signedIn()
    const { html } = await owner.browser.get(askPath(owner.agentId))
    expect(html).toContain(`href="/dashboard/agents/${owner.agentId}/documents"`)
    expect(html).toContain('There is nothing to find yet')
  })
})

test('the excerpt of a long table has its header and the row that has most of the words', async () => {
  const owner = await signedIn()
  const rows = Array.from(
    { length: 40 },
    (_, i) => `| Coffee blend ${i} from the hills | €${i + 10}.20 | €${i + 40}.90 |`,
  )
  rows.splice(30, 0, '| Night Train decaf coffee | €16.30 | €58.70 |')
  const content = `# Prices\n\n| Coffee | 250 g | 1 kg |\n| --- | --- | --- |\n${rows.join('\n')}`
  await owner.call('POST', owner.knowledgeBase, { title: 'Prices', content })
  await stand.deliver()
  const { html } = await ask(owner, 'how much is the night train decaf coffee')
  const [, excerpt = ''] = /<div class="said[^"]*">(.*?)<\/table>/s.exec(html) ?? []
  expect(excerpt).toMatch(/<th scope="col">.*Coffee.*250 g.*1 kg/s)
  expect(excerpt.replaceAll(/<[^>]+>/g, '')).toContain('Night Train decaf coffee€16.30€58.70')
  expect(excerpt.length).toBeLessThan(3_000)
})

describe('another document', () => {
  test('is told its place, and the words that it lacks', async () => {
    const [hours, bread, parking] = owner.documents as [string, string, string]
    const compare = async (document: string) =>
      (await ask(owner, 'is the bakery open on sunday', { document })).text.split('Did you expect')[1]!
    expect(await compare(hours)).toContain(
      'ranks 1 of 3. Your agent gets the first 5. This is what your agent finds first',
    )
    expect(await compare(bread)).toMatch(/ranks [23] of 3/)
    expect(await compare(parking)).toContain('It doesn’t have “open” or “sunday”.')
    const none = await ask(owner, 'sunday', { document: parking })
    expect(none.text).toContain('None of its words match “sunday”.')
  })

  test('that is not ready says so, and one of others is gone', async () => {
    const mine = await withDocuments()
    const { body } = await mine.call('POST', mine.knowledgeBase, { title: 'Later', content: 'Later.' })
    expect((await ask(mine, 'bread', { document: body.id })).text).toContain('It isn’t ready')
    const { status, text } = await ask(mine, 'bread', { document: owner.documents[0]! })
    expect(status).toBe(200)
    expect(text).toContain('no longer available')
    expect((await ask(mine, 'bread', { document: 'bogus' })).status).toBe(200)
  })

  test('is found by a part of its title, while it is typed too', async () => {
    const whole = await ask(owner, 'bread', { title: 'PARK' })
    const part = await owner.browser.part(askPath(owner.agentId, { q: 'bread', title: 'PARK' }))
    expect(part.text).toBe('Parking')
    expect(whole.html).toContain(part.html)
    expect((await owner.browser.part(askPath(owner.agentId, { q: 'bread', title: '%' }))).text).toBe('No titles match.')
  })
})

describe('while the provider is down', () => {
  async function withProvider(embedder = newEmbedder(provider)): Promise<SignedIn> {
    const app = dashboardApp({
      db: databaseAs('cuecard_dashboard'),
      embedder,
      queue: keptQueue().queue,
      presigner: configuredPresigner(),
    })
    return { ...owner, browser: await signIn(newBrowser(stand, undefined, lambdaHandler(app)), owner.apiKey) }
  }

  test('a question is answered by its words, and the screen says so', async () => {
    const owner = await withProvider()
    provider.script([], { status: 401, body: '{}' })
    const { status, text } = await ask(owner, 'where do guests park', { document: '' })
    expect(status).toBe(200)
    expect(text).toContain('found by words only')
    expect(text).toContain('Parking')
  })

  test('the meaning alone cannot be asked, and the screen says what can', async () => {
    const owner = await withProvider()
    provider.script([], { status: 401, body: '{}' })
    const { status, text } = await ask(owner, 'where do guests park', { mode: 'semantic' })
    expect(status).toBe(503)
    expect(text).toContain('Search by words instead')
  })

  test.each(['hybrid', 'semantic'])('nor compared, by an embedder of our own that fails: %s', async (mode) => {
    const working = lexicalEmbedder()
    let calls = 0
    const embed: Embedder['embed'] = (texts) =>
      ++calls < 2 ? working.embed(texts) : Promise.reject(new EmbeddingError('unavailable', 'stopped'))
    const own = await withProvider({ ...working, embed })
    const { status, text } = await ask(own, 'where do guests park', { mode, document: owner.documents[0]! })
    expect(status).toBe(503)
    expect(text).toContain('Search by words instead')
    expect(calls).toBe(2)
    const alone = await ask(own, 'where do guests park', { mode: 'semantic' })
    expect(alone).toMatchObject({ status: 503, text: expect.stringContaining('Search by words instead') })
  })
})

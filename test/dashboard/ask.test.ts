import { beforeAll, describe, expect, test } from 'vitest'
import { examplesOf } from '../../functions/dashboard/ask/examples.ts'
import { createKey } from '../../infra/admin/keys.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { useRequestCount } from '../support/database/request-count.ts'
import { keepQuestions, keptQuestions } from '../support/documents/asked-questions.ts'
import { storeKnown } from '../support/documents/known-documents.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { newEmbedder } from '../support/stand/new-search.ts'
import { formWith, serve } from './document-rows.ts'
import { browserOf, newBrowser, type Page, type SignedIn, signIn, useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()
const provider = useFakeProvider()

const requestsOf = useRequestCount()

async function withDocuments(): Promise<SignedIn> {
  const owner = await signedIn()
  await storeKnown(stand, owner)
  return owner
}

/** The owner for tests that only ask. */
let owner: SignedIn
beforeAll(async () => {
  owner = await withDocuments()
})

const askPath = (agentId: string, query: Record<string, string> = {}) =>
  `/dashboard/agents/${agentId}/ask?${new URLSearchParams(query)}`
const ask = ({ browser, agentId }: SignedIn, q: string, more: Record<string, string> = {}) =>
  browser.get(askPath(agentId, { q, ...more }))
const heardIn = (html: string) => /<blockquote id="heard"[^>]*>([^<]*)/.exec(html)?.[1]
const marks = (html: string) => [...html.matchAll(/<mark>([^<]*)<\/mark>/g)].map(([, text]) => text)

describe('a question', () => {
  test('gets the answer that a caller would hear, and the reasons for it', async () => {
    const query = 'um are you open on sundays'
    const { status, html, text } = await ask(owner, query)
    const { body } = await owner.call('POST', `${owner.knowledgeBase}/search`, { query, format: 'speech' })
    expect(status).toBe(200)
    const [answer = '', why = ''] = html.split('<details class="why">')
    expect(heardIn(answer)).toBe(body.data[0].content)
    expect(answer).toContain('Your agent would say this')
    const found = body.data.map(({ document_id }: { document_id: string }) => document_id)
    const linkTo = /href="\/dashboard\/agents\/[^/]+\/documents\/([^?"]+)\?passage=1#passage-1"/g
    expect([...answer.matchAll(linkTo)].map(([, id]) => id)).toEqual(found.slice(0, 1))
    expect([...why.matchAll(linkTo)].map(([, id]) => id)).toEqual(found)
    expect(marks(why)).toEqual(expect.arrayContaining(['Sunday', 'open']))
    expect(text).toContain('Searched for open , sundays .')
    expect(text).toContain(body.data[0].score.toFixed(4))
    expect(text).toMatch(/found in [\d.]+ ms: [\d.]+ ms for the meaning of the question, [\d.]+ ms in the database/)
  })

  test('about a cell of a table is answered with the cell and its document', async () => {
    const pizzeria = await signedIn()
    const rows = '| Pizza | Small | Large |\n| --- | --- | --- |\n| Diavola | £9.20 | £14.20 |\n| Truffle | £11 | £15 |'
    await serve(stand, pizzeria, 'Menu', `# Pizza\n\n${rows}`)
    const { html, text } = await ask(pizzeria, 'what does a large diavola cost')
    expect(heardIn(html)).toBe('Large, Diavola: £14.20')
    expect(text).toContain('Your agent would say this Large, Diavola: £14.20 From Menu , Pizza')
    const kept = await pizzeria.browser.submit(...formWith(html, 'Right, keep it'))
    expect(kept.text).toContain('The check was saved. It passes.')
    expect(kept.text).toContain('A part of “Menu” should be found among the first 3 · A table should give “£14.20”')
  })

  test('about a cell of a table has the table first, whatever else sounds like the question', async () => {
    const pizzeria = await signedIn()
    const question = 'what does a large diavola cost'
    const title = 'what does a diavola cost'
    await serve(
      stand,
      pizzeria,
      'Menu prices',
      '| Pizza | Small | Large |\n| --- | --- | --- |\n| Diavola | £9.20 | £14.20 |',
    )
    await serve(stand, pizzeria, title, 'What does a Diavola cost? What does a Diavola cost? See the menu.')
    const { body } = await pizzeria.call('POST', `${pizzeria.knowledgeBase}/search`, { query: question })
    expect([body.data[0].document_title, body.value?.text]).toEqual(['Menu prices', '£14.20'])
    const { text } = await ask(pizzeria, question)
    expect(text).toMatch(/Large, Diavola: £14\.20 From Menu prices .*Why/)
  })

  test('has the language of its answer, for the voice that reads it', async () => {
    const bakery = await signedIn()
    await serve(stand, bakery, 'Öffnungszeiten', 'Am Sonntag ist die Bäckerei geschlossen, und wir sind nicht da.')
    expect((await ask(bakery, 'am Sonntag geöffnet')).html).toContain('<blockquote id="heard" lang="de">')
    expect((await ask(owner, 'open on sunday')).html).toContain('<blockquote id="heard" lang="en">')
  })

  test.each([
    ['open on sunday', 'found', ['Correct it']],
    ['can I order a cake for a wedding', 'uncertain', ['Add an answer']],
    ['do you have wifi', 'nothing', ['Add an answer']],
  ])(
    'offers a key that may change documents ways to correct or keep the answer: %s, %s',
    async (question, level, expected) => {
      const { key } = await createKey(stand.db, {
        organizationId: owner.organizationId as OrganizationId,
        name: 'reader',
        permissions: ['kb:read'],
      })
      const reader = { ...owner, browser: await signIn(newBrowser(stand), key) }
      const agent = `/dashboard/agents/${owner.agentId}`
      const { body } = await owner.call('POST', `${owner.knowledgeBase}/search`, { query: question })
      const document = level === 'nothing' ? 'nothing' : body.data[0].document_id
      const paths = {
        'Correct it': `${agent}/documents/${document}/edit?${new URLSearchParams({ question, passage: '1' })}`,
        'Add an answer': `${agent}/documents/new?${new URLSearchParams({ question, from: 'ask' })}`,
      }
      const waysOf = ({ html }: Page) =>
        [...html.matchAll(/<a class="button[^"]*" href="([^"]*)">([^<]*)/g)].map(([, link, name]) => [
          name,
          link!.replaceAll('&amp;', '&').replace(/&at=[^&]+/, ''),
        ])
      const answer = await ask(owner, question)
      expect(waysOf(answer)).toEqual(expected.map((name) => [name, paths[name as keyof typeof paths]]))
      expect(waysOf(await ask(reader, question))).toEqual([])
      const [, { words, ...keep }] = formWith(
        answer.html,
        level === 'nothing' ? 'Right, it has no answer' : 'Right, keep it',
      )
      expect(keep).toMatchObject({ question, expected: document })
      if (level === 'nothing') expect(words).toBeUndefined()
      else expect(body.data[0].content).toContain(words)
    },
  )

  test('with words that no document has is shown with these words', async () => {
    const { text } = await ask(owner, 'do you bake bread for zebras')
    expect(text).toContain('zebras (in no document)')
    expect(text).toContain('doesn’t have “zebras”')
    expect(text).toContain('has “bread”')
  })

  test('of stop words only is distinguished from one without an answer', async () => {
    const { text } = await ask(owner, 'is it and')
    expect(text).toContain('there is nothing to search for')
    expect(text).not.toContain('Add an answer')
  })

  test('may be asked by words or by meaning alone', async () => {
    const byWords = await ask(owner, 'park for guests', { mode: 'keyword' })
    expect(byWords.text).toContain('By meaning (cosine) not compared')
    const byMeaning = await ask(owner, 'park for guests', { mode: 'semantic' })
    expect(byMeaning.text).toContain('By words not compared')
    expect(byMeaning.text).not.toContain('Searched for')
    expect((await ask(owner, 'park', { mode: 'bogus' })).status).toBe(200)
  })

  test('is never logged, even if the organization logs callers’ questions', async () => {
    const owner = await withDocuments()
    await keepQuestions(stand, owner)
    await ask(owner, 'Where do guests park?')
    expect(await keptQuestions(stand, owner)).toEqual([])
  })

  test('takes three round trips to the database: the session, the agent and the search', async () => {
    await ask(owner, 'Where do guests park?')
    expect(await requestsOf(() => ask(owner, 'Where do guests park?'))).toBe(3)
  })
})

describe('before a question', () => {
  test('three examples come from the agent’s own headings, and find something', async () => {
    const { html } = await owner.browser.get(askPath(owner.agentId))
    const examples = [...html.matchAll(/href="([^"]*ask\?q=[^"]*)">([^<]*)/g)]
    expect(examples.map(([, , question]) => question)).toEqual([
      'What can you tell me about Parking?',
      'What can you tell me about Bread?',
      'What can you tell me about opening hours?',
    ])
    expect((await owner.browser.get(examples[0]![1]!)).text).toContain('Your agent would say this')
  })

  const menu = (head: string, row = 'Diavola | £9.20 | £14.20') => `${head}\n|---|---|---|\n| ${row} |`
  test.each([
    ['a large', { title: 'Menu', content: menu('| Pizza | Small | Large |') }, ['How much is a large Diavola?']],
    ['an adult', { title: 'Menu', content: menu('| Ticket | Child | Adult |') }, ['How much is an adult Diavola?']],
    ['a week', { title: 'Prices', content: menu('| Bike | Day | Week |') }, ['How much is the Diavola for a week?']],
    [
      'groß',
      { title: 'Karte', content: `Das ist sie.\n\n${menu('| Pizza | Klein | Groß |', 'Diavola | 9,20 € | 14,20 €')}` },
      ['Was kostet Diavola, groß?', 'Was können Sie mir über Karte sagen?'],
    ],
    ['a size', { title: 'Prices', content: menu('| Coffee | 250 g | 1 kg |') }, ['How much is the Diavola, 1 kg?']],
    [
      'prices',
      { title: 'Prices', content: menu('| Service | Minutes | Price |', 'Haircut | 30 | €30') },
      ['How much is the Haircut?'],
    ],
    [
      'codes',
      {
        title: 'Prices',
        content: menu('| Code | Bike | 1 week | Deposit |', 'RNT-1 | City bike | $45 | $100').replace(
          '|---|',
          '|---|---|',
        ),
      },
      ['How much is the City bike, 1 week?'],
    ],
    ['no price', { title: 'Index', content: menu('| Day | From | To |', 'Monday | 9:00 | 18:00') }, []],
    ['a question', { title: 'Do you deliver on Sunday?', content: 'Yes.' }, ['Do you deliver on Sunday?']],
    [
      'a heading',
      { title: 'index', content: '# Gift vouchers\n\nWe sell them.' },
      ['What can you tell me about gift vouchers?'],
    ],
    [
      'a name',
      { title: 'scan_0012.pdf', content: '# Anna Kowalski\n\nShe is a vet.' },
      ['What can you tell me about Anna Kowalski?'],
    ],
    ['none', { title: 'scan_0012.pdf', content: 'Text.' }, []],
  ])('an example is a question that a caller would ask: %s', (_, chunk, expected) => {
    expect(examplesOf([{ ...chunk, metadata: {} }])).toEqual(expected)
  })

  test('the screen of an agent without ready documents links to its documents', async () => {
    const owner = await signedIn()
    const { html } = await owner.browser.get(askPath(owner.agentId))
    expect(html).toContain(`href="/dashboard/agents/${owner.agentId}/documents"`)
    expect(html).toContain('There is nothing to find yet')
  })
})

describe('while the provider is down', () => {
  async function withProvider(): Promise<SignedIn> {
    const browser = browserOf(stand, { embedder: newEmbedder(provider), keySignIn: true })
    return { ...owner, browser: await signIn(browser, owner.apiKey) }
  }

  test('a question is answered by its words, and the screen says so', async () => {
    const owner = await withProvider()
    provider.script([], { status: 401, body: '{}' })
    const { status, text } = await ask(owner, 'where do guests park')
    expect(status).toBe(200)
    expect(text).toContain('found by words only')
    expect(text).toContain('Parking')
  })

  test('a search by meaning alone is refused, and the screen offers one by words', async () => {
    const owner = await withProvider()
    provider.script([], { status: 401, body: '{}' })
    const { status, text } = await ask(owner, 'where do guests park', { mode: 'semantic' })
    expect(status).toBe(503)
    expect(text).toContain('Search by words instead')
  })
})

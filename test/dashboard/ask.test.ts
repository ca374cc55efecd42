import { beforeAll, describe, expect, test } from 'vitest'
import { useRequestCount } from '../support/database/request-count.ts'
import { storeKnown } from '../support/documents/known-documents.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { newEmbedder } from '../support/stand/new-search.ts'
import { formWith, listOf, serve } from './document-rows.ts'
import { askScreen } from './kept-questions.ts'
import { browserOf, linksIn, type Page, type SignedIn, signIn, useDashboard } from './support.ts'

const { stand, signedIn, member } = useDashboard()
const provider = useFakeProvider()

const requestsOf = useRequestCount()

/** The owner for tests that only ask. */
let owner: SignedIn
beforeAll(async () => {
  owner = await signedIn()
  await storeKnown(stand, owner)
})

const ask = (owner: SignedIn, q: string) => askScreen(owner, { q })
const parking = 'guests park free of charge in the courtyard behind the bakery'
const heardIn = (html: string) => /<blockquote[^>]*>([^<]*)/.exec(html)?.[1]
const marks = (html: string) => [...html.matchAll(/<mark>([^<]*)<\/mark>/g)].map(([, text]) => text)

test('before the first document, there is nothing to find', async () => {
  const beginner = await signedIn()
  const { html, text } = await ask(beginner, '')
  expect(text).toContain('There is nothing to find yet')
  expect(html).toContain(`href="${listOf(beginner)}"`)
  expect((await ask(owner, '')).text).not.toContain('There is nothing to find yet')
})

describe('a question', () => {
  test('gets the answer that a caller would hear, and the reasons for it', async () => {
    const query = 'um are you open on sundays'
    const { status, html, text } = await ask(owner, query)
    const { body } = await owner.call('POST', `${owner.knowledgeBase}/search`, { query, format: 'speech' })
    expect(status).toBe(200)
    const [answer = '', why = ''] = html.split('<summary>Why?</summary>')
    expect(heardIn(answer)).toBe(body.data[0].content)
    expect(answer).toContain('Your agent would say this')
    const found = body.data.map(({ document_id }: { document_id: string }) => document_id)
    const linkTo = /href="\/dashboard\/agents\/[^/]+\/documents\/([^?"]+)\?passage=1#passage-1"/g
    expect([...answer.matchAll(linkTo)].map(([, id]) => id)).toEqual(found.slice(0, 1))
    expect([...why.matchAll(linkTo)].map(([, id]) => id)).toEqual(found)
    expect(marks(why)).toEqual(expect.arrayContaining(['Sunday', 'open']))
    expect(text).toContain('Searched for open , sundays .')
    expect(await requestsOf(() => ask(owner, query)), 'of the session, the agent and the search').toBe(3)
  })

  test('about a cell of a table is answered with the cell and its document, whatever else sounds like the question', async () => {
    const pizzeria = await signedIn()
    const question = 'what does a large diavola cost'
    const rows = '| Pizza | Small | Large |\n| --- | --- | --- |\n| Diavola | £9.20 | £14.20 |'
    const menu = await serve(stand, pizzeria, 'Menu', `# Pizza\n\n${rows}`)
    const { html, text } = await ask(pizzeria, question)
    expect(heardIn(html)).toBe('Large, Diavola: £14.20')
    expect(text).toContain('Your agent would say this Large, Diavola: £14.20 From Menu , Pizza')
    const kept = await pizzeria.browser.submit(...formWith(html, 'Right, keep it'))
    expect(kept.text).toContain('The check was saved. It passes.')
    expect(kept.text).toContain('Expects “£14.20” from Menu')
    const again = await pizzeria.browser.submit(...formWith(html, 'Right, keep it'))
    expect(again.text).toContain('You already keep this as a check.')
    await pizzeria.call('DELETE', `${pizzeria.knowledgeBase}/${menu}`)
    await serve(stand, pizzeria, 'Menu prices', rows)
    const title = 'what does a diavola cost'
    await serve(stand, pizzeria, title, 'What does a Diavola cost? What does a Diavola cost? See the menu.')
    const { body } = await pizzeria.call('POST', `${pizzeria.knowledgeBase}/search`, { query: question })
    expect([body.data[0].document_title, body.value?.text]).toEqual(['Menu prices', '£14.20'])
    expect((await ask(pizzeria, question)).text).toMatch(/Large, Diavola: £14\.20 From Menu prices .*Why/)
  })

  test('has the language of its answer, for the voice that reads it', async () => {
    const bakery = await signedIn()
    await serve(stand, bakery, 'Öffnungszeiten', 'Am Sonntag ist die Bäckerei geschlossen, und wir sind nicht da.')
    expect((await ask(bakery, 'am Sonntag geöffnet')).html).toContain('<blockquote lang="de">')
    expect((await ask(owner, 'open on sunday')).html).toContain('<blockquote lang="en">')
  })

  test.each([
    ['open on sunday', 'found', ['Correct it']],
    ['can I order a cake for a wedding', 'uncertain', ['Add an answer']],
    ['do you have wifi', 'nothing', ['Add an answer']],
  ])(
    'offers those who may change documents ways to correct or keep the answer: %s, %s',
    async (question, level, expected) => {
      const reader = { ...owner, ...(await member(owner, 'viewer')) }
      const agent = `/dashboard/agents/${owner.agentId}`
      const { body } = await owner.call('POST', `${owner.knowledgeBase}/search`, { query: question })
      const document = level === 'nothing' ? undefined : body.data[0].document_id
      const paths = {
        'Correct it': `${agent}/documents/${document}/edit?${new URLSearchParams({ question, passage: '1' })}`,
        'Add an answer': `${agent}/documents/new?${new URLSearchParams({ question, from: 'ask' })}`,
      }
      const waysOf = ({ html }: Page) =>
        linksIn(html)
          .filter(([name]) => name in paths)
          .map(([name, path]) => [name, path.replace(/&at=[^&]+/, '')])
      const answer = await ask(owner, question)
      expect(waysOf(answer)).toEqual(expected.map((name) => [name, paths[name as keyof typeof paths]]))
      expect(waysOf(await ask(reader, question))).toEqual([])
      const button = level === 'nothing' ? 'Right, it has no answer' : 'Right, keep it'
      const [, { words, ...keep }] = formWith(answer.html, button)
      expect(keep).toEqual({
        question,
        ...(document && { document_id: document }),
        ...(keep.as_of && { as_of: keep.as_of }),
      })
      if (level === 'nothing') expect(words).toBeUndefined()
      else expect(body.data[0].content).toContain(words)
    },
  )

  test.each([
    ['do you bake bread for zebras', ['zebras (in no document)'], 'to search for'],
    ['is it and', ['there is nothing to search for'], 'Add an answer'],
  ])('says how it was searched for, and what was not found: %s', async (question, expected, unexpected) => {
    const { status, text } = await ask(owner, question)
    expect(status).toBe(200)
    for (const part of expected) expect(text).toContain(part)
    expect(text).not.toContain(unexpected)
  })
})

test('while the provider is down, a question is answered by its words', async () => {
  const browser = await signIn(browserOf(stand, { embedder: newEmbedder(provider), keySignIn: true }), owner.apiKey)
  provider.script([], { status: 401, body: '{}' })
  const { status, text } = await ask({ ...owner, browser }, parking)
  expect(status).toBe(200)
  expect(text).toContain('found by words only')
  expect(text).toContain('Parking')
})

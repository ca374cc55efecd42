import { describe, expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { mcpClient } from '../mcp/mcp-client.ts'
import { storeQuestions } from '../support/documents/asked-questions.ts'
import { serve } from './document-rows.ts'
import { askScreen, callScreen, keepingOn, questionsScreen } from './kept-questions.ts'
import { linksIn, type SignedIn, useDashboard } from './support.ts'

const dashboard = useDashboard()
const { stand } = dashboard

const path = ({ agentId }: { agentId: string }) => `/dashboard/agents/${agentId}/call`

const keeping = () => keepingOn(dashboard)
const stored = (owner: SignedIn, title: string, content: string) => serve(stand, owner, title, content)

async function edited(owner: SignedIn, id: string, content: string): Promise<void> {
  await owner.call('PATCH', `${owner.knowledgeBase}/${id}`, { content })
  await stand.deliver()
}

const ask = (owner: SignedIn, query: string, call_id: string) =>
  owner.call('POST', `${owner.knowledgeBase}/search`, { query, call_id, limit: 1 })

const pathsIn = ({ html }: { html: string }) => linksIn(html).map(([, path]) => path)

describe('the page of a call', () => {
  test('shows its questions in order, with the passages that each got, and returns to itself after one is marked as wrong', async () => {
    const owner = await keeping()
    await stored(owner, 'Hours', 'On Sunday we are closed.')
    const second = await createAgent(stand.db, owner.organizationId as OrganizationId, 'Second')
    const elsewhere = { question: 'Elsewhere on Sunday?', call_id: 'call 1' }
    await storeQuestions(stand, { ...owner, agentId: second.id }, elsewhere)
    await storeQuestions(stand, owner, { ...elsewhere, call_id: 'call 2' })
    await ask(owner, 'Are you open on Sunday?', 'call 1')
    await ask(owner, 'Do you sell cars?', 'call 1')
    const { status, html, text } = await callScreen(owner, 'call 1')
    expect(status).toBe(200)
    expect(text).toMatch(
      / UTC .*“Are you open on Sunday\?” Answered On Sunday we are closed\. From Hours Asked just now Why\? 1 part found\. From Hours On Sunday.*“Do you sell cars\?” (Uncertain|Nothing found)/,
    )
    expect(text).not.toContain('Elsewhere')
    expect(text).not.toContain('has changed since')
    const [, address = '', ids = ''] =
      /action="([^"]*\/wrong[^"]*)"><input type="hidden" name="ids" value="([^"]*)"/.exec(html)!
    const marked = await owner.browser.post(address, { ids, wrong: 'true' })
    expect(marked.headers.location).toBe(`${path(owner)}?id=call+1#asked-${ids}`)
    expect((await callScreen(owner, 'call 1')).text).toContain('“Are you open on Sunday?” Marked wrong')
  })

  test('shows a passage as it was when it was found, and says so once its text has changed, is no longer stored, or deleted', async () => {
    const owner = await keeping()
    const id = await stored(owner, 'Hours', 'On Sunday we are closed. 🥖')
    await ask(owner, 'Are you open on Sunday?', 'before')
    await edited(owner, id, 'On Sunday we are open from 9 to 12.')
    await ask(owner, 'Are you open on Sunday?', 'after')
    await edited(owner, id, 'We are always open.')
    for (const [call, said] of [
      ['before', 'On Sunday we are closed. 🥖'],
      ['after', 'On Sunday we are open from 9 to 12.'],
    ] as const)
      expect((await callScreen(owner, call)).text).toContain(`From Hours , whose text has changed since ${said}`)
    await stand.pool.query('delete from document_revisions where document_id = $1', [id])
    expect((await callScreen(owner, 'before')).text).toContain('From Hours , whose text has changed since Asked')
    await owner.call('DELETE', `${owner.knowledgeBase}/${id}`)
    const page = await callScreen(owner, 'before')
    expect(page.text).toContain('From a deleted document')
    expect(pathsIn(page).filter((link) => link.includes(id))).toEqual([])
  })

  test('shows a passage that an edit elsewhere in the document has left in place as unchanged', async () => {
    const owner = await keeping()
    const paragraph = (word: string) => `# About ${word}\n\n${`Here we say something about ${word}. `.repeat(60)}`
    const id = await stored(owner, 'Many things', `${paragraph('bicycles')}\n\n${paragraph('kettles')}`)
    const { body: answer } = await ask(owner, 'Tell me about bicycles', 'call')
    const number = answer.data[0].chunk_index + 1
    await edited(owner, id, `${paragraph('bicycles')}\n\n${paragraph('spoons')}`)
    const page = await callScreen(owner, 'call')
    expect(page.text).toContain('Here we say something about bicycles.')
    expect(page.text).not.toContain('has changed since')
    const passage = `documents/${id}?passage=${number}#passage-${number}`
    expect(pathsIn(page)).toContain(`/dashboard/agents/${owner.agentId}/${passage}`)
  })

  test('is linked from its questions', async () => {
    const owner = await keeping()
    const callId = 'call-7'
    await storeQuestions(stand, owner, { question: 'cars?', call_id: callId })
    const expected = `${path(owner)}?id=${callId}`
    expect(pathsIn(await questionsScreen(owner))).toContain(expected)
    expect((await callScreen(owner, ` ${callId} `)).text).toContain('“cars?”')
  })

  test.each(['', 'unknown', 'a'.repeat(300), 'a\u0007b', '<script>'])(
    'says that there is no question of the call %j',
    async (id) => {
      const owner = await keeping()
      const { status, text, html } = await callScreen(owner, id)
      expect(status).toBe(200)
      expect(text).toContain('No questions from this call')
      expect(html).not.toContain('<script>"')
    },
  )

  test('shows the last 100 questions of a call, and says so', async () => {
    const owner = await keeping()
    const asked = Array.from({ length: 101 }, (_, i) => ({ question: `number ${i}.`, call_id: 'call' }))
    await storeQuestions(stand, owner, ...asked)
    const { text } = await callScreen(owner, 'call')
    expect(text).toContain('Only the last 100 questions')
    const shown = [...text.matchAll(/“number (\d+)\.”/g)].map(([, number]) => Number(number))
    expect(shown).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
  })
})

describe('the verdict on a question', () => {
  const bakery = {
    Hours: 'The bakery is open from Monday to Friday, 7:00 to 18:00. On Sunday we are closed.',
    Bread: 'Rye bread costs €4.20 a loaf. Gluten-free bread must be ordered a day ahead.',
    Parking: 'Guests park free of charge in the courtyard.',
    Menu: '| Pizza | Small | Large |\n|---|---|---|\n| Diavola | £9.20 | £14.20 |',
    Children: 'Children may bake with us in the holidays.',
  }
  const levels = { found: 'Answered', uncertain: 'Uncertain', nothing: 'Nothing found' }
  const verdicts = {
    found: 'Your agent would say this',
    uncertain: 'Your agent isn’t sure',
    nothing: 'Your agent would say that it doesn’t know',
  }

  test.each([
    ['what time do you shut on friday', 'found'],
    ['um hi yeah what do you charge for a loaf of rye bred', 'found'],
    ['what does a large diavola cost', 'found', 'Menu', 'Large, Diavola: £14.20'],
    ['do you do kids in the holidays', 'found'],
    ['do you do christmas puddings with brandy', 'uncertain'],
    ['do you have wifi', 'nothing'],
  ] as const)(
    'is the same in the API, on platforms, in Ask, on the call’s page and in the list of questions: %s',
    async (query, level, title?: string, value?: string) => {
      const owner = await keeping()
      for (const [title, content] of Object.entries(bakery)) await stored(owner, title, content)
      const { body } = await ask(owner, query, 'call 1')
      expect(body.status).toBe(level)
      const asked = await askScreen(owner, { q: query })
      const call = await callScreen(owner, 'call 1')
      const list = await questionsScreen(owner, { show: 'all' })
      for (const each of ['found', 'uncertain', 'nothing'] as const) {
        for (const { text } of [call, list])
          expect(text.includes(`“${query}” ${levels[each]}`), each).toBe(each === level)
        expect(asked.text.includes(verdicts[each]), each).toBe(each === level)
      }
      for (const { text } of [asked, call, list]) expect(text).toContain(value ? `${value} From ${title}` : '')
      const { structuredContent } = await mcpClient(owner).tool('search', { query })
      expect(structuredContent.results.length > 0).toBe(level !== 'nothing')
    },
  )
})

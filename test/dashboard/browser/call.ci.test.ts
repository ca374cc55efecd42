import { describe, expect, test } from 'vitest'
import { keepQuestions, storeQuestions } from '../../support/documents/asked-questions.ts'
import { useStand } from '../../support/stand/stand.ts'
import { executablePath } from '../../support/tools/chromium.ts'
import { useSignedIn } from './signed-in.ts'

const stand = useStand()
const of = (way: string, question: string) => `${way}: “${question}”`

describe.runIf(executablePath)('a question of a call (needs chromium, or CHROMIUM with its path)', () => {
  const { open } = useSignedIn(stand)

  test('leads on a phone to the caller’s answer, and to each way to correct it', async () => {
    const tenant = await stand.tenant()
    const { agentId, knowledgeBase } = tenant
    await keepQuestions(stand, tenant)
    const rooms = 'A room costs 80 euros. Breakfast is included.\n\n| Room | Price |\n|---|---|\n| Single | 60 |'
    const { body: document } = await tenant.call('POST', knowledgeBase, { title: 'Rooms', content: rooms })
    await tenant.call('POST', knowledgeBase, { title: 'Parking', content: 'Guests park behind the house.' })
    await stand.deliver()
    const [query, call_id] = ['What does a room cost?', 'a3c90c3c-0d44-4b50-8888-8dd25736052a']
    await tenant.call('POST', `${knowledgeBase}/search`, { query, call_id })
    await tenant.call('POST', `${knowledgeBase}/search`, { query: 'Can my parrot come?', call_id })
    await tenant.call('PATCH', `${knowledgeBase}/${document.id}`, { content: 'A room costs 90 euros.' })
    await stand.deliver()

    const { page, wrong } = await open(tenant, `/dashboard/agents/${agentId}/questions?show=all`)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('link', { name: `“${query}”`, exact: true }).click()
    const asked = page.getByRole('listitem').filter({ hasText: query })
    await asked.getByText('Price, Single: 60').waitFor()
    await asked.getByText('Why?').click()
    await asked.getByText('A room costs 80 euros.').waitFor()
    await asked.getByText('as it was then: the text has changed since').first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)

    const address = page.url()
    await asked.getByLabel(of('More', query)).click()
    await asked.getByRole('link', { name: 'Add an answer' }).click()
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('Room')
    await page.goto(address)
    await asked.getByRole('link', { name: 'Rooms', exact: true }).first().click()
    await page.getByText('A room costs 90 euros.').waitFor()
    await page.goto(address)
    await asked.getByLabel(of('More', query)).click()
    const golden = asked.getByRole('link', { name: 'Keep as a check' })
    expect(await golden.getAttribute('href')).toContain(`${new URLSearchParams({ question: query })}`)
    expect(wrong).toEqual([])
  })

  test('leads by four keys from the list to the corrected text and a golden question', async () => {
    const tenant = await stand.tenant()
    const { agentId, knowledgeBase } = tenant
    const { body: document } = await tenant.call('POST', knowledgeBase, { title: 'Rooms', content: 'A room costs 80.' })
    await stand.deliver()
    const query = 'What does a room cost?'
    const hits = JSON.stringify([{ document_id: document.id, revision: 1, chunk_index: 0, score: 0.7 }])
    const asked = { question: query, status: 'found' as const, hits }
    await storeQuestions(stand, tenant, { question: 'boats' }, asked, { question: 'parrots' })

    const { page, wrong } = await open(tenant, `/dashboard/agents/${agentId}/questions?show=all`)
    const focused = (question: string) => page.locator('a:focus', { hasText: `“${question}”` }).waitFor()
    const search = page.getByLabel('Search questions')
    await search.pressSequentially('jaw')
    expect(await search.inputValue()).toBe('jaw')
    await search.blur()
    for (const [key, question] of [
      ['j', 'parrots'],
      ['j', query],
      ['j', 'boats'],
      ['k', query],
    ] as const) {
      await page.keyboard.press(key)
      await focused(question)
    }
    await page.keyboard.press('w')
    await page.locator('.state', { hasText: 'Marked wrong' }).waitFor()
    await page.locator('li:focus', { hasText: query }).waitFor()
    await page.keyboard.press('c')
    await page.getByLabel('Text', { exact: true }).fill('A room costs 90.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('“Rooms” was saved.').first().waitFor()
    expect((await tenant.call('GET', `${knowledgeBase}/${document.id}`)).body.content).toBe('A room costs 90.')
    const { body: golden } = await tenant.call('GET', `/v1/agents/${agentId}/golden-questions`)
    expect(golden.data).toMatchObject([{ question: query, expects: { document_id: document.id } }])
    expect(wrong).toEqual([])
  })
})

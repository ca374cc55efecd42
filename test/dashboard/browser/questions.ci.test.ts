import { describe, expect, test } from 'vitest'
import { storeQuestions } from '../../support/documents/asked-questions.ts'
import { useStand } from '../../support/stand/stand.ts'
import { executablePath } from '../../support/tools/chromium.ts'
import { useSignedIn } from './signed-in.ts'

const stand = useStand()

describe.runIf(executablePath)('questions in a browser (needs chromium, or CHROMIUM with its path)', () => {
  const { open } = useSignedIn(stand)

  test('four keys lead from the list of questions to the corrected text and a check', async () => {
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

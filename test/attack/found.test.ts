import { expect, test } from 'vitest'
import { newBrowser, signIn } from '../dashboard/support.ts'
import { useStand } from '../support/stand.ts'

const stand = useStand()

test('to try a document again that has no content any more leads to its page', async () => {
  const tenant = await stand.tenant()
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T' })
  const browser = await signIn(newBrowser(stand), tenant.apiKey)
  const page = `/dashboard/agents/${tenant.agentId}/documents/${body.id}`
  expect(await browser.post(`${page}/retry`)).toMatchObject({ status: 303, headers: { location: page } })
})

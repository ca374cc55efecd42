import { expect, test } from 'vitest'
import { words } from '../../functions/dashboard/words.ts'
import { createAgent } from '../../infra/admin/tenants.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { setColumns } from './document-rows.ts'
import { useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()
const { agents: w } = words

test('an organization without agents is told how one is made', async () => {
  const { browser, organizationId } = await signedIn()
  await stand.db.deleteFrom('agents').where('organization_id', '=', organizationId).execute()
  const { text } = await browser.get('/dashboard')
  expect(text).toContain('No agents yet')
  expect(text).toContain(`npx cuecard agent create --organization ${organizationId} --name 'Front desk'`)
})

test('an agent answers as soon as one of its documents is ready, and before says why not', async () => {
  const { browser, call, knowledgeBase } = await signedIn()
  const shown = async () => (await browser.get('/dashboard')).text
  expect(await shown()).toContain(w.isOff.none)
  const post = (title: string) => call('POST', knowledgeBase, { title, content: 'Closed on Sunday.' })
  const { body } = await post('Hours')
  expect(await shown()).toContain(`${w.isOff.pending} 1 document 1 processing`)

  await setColumns(stand, body.id, `status = 'error', error_message = 'Unreadable'`)
  expect(await shown()).toContain(`${w.isOff.failed} 1 document 1 failed`)

  await post('Prices')
  await stand.deliver()
  await post('Holidays')
  expect(await shown()).toContain(`Answers callers 3 documents 1 ready 1 processing 1 failed`)
})

test('an agent’s name is shown as it is, and leads to its documents', async () => {
  const { browser, organizationId } = await signedIn()
  const agent = await createAgent(stand.db, organizationId as OrganizationId, '<b onclick="x">"&\'</b>')
  const { html } = await browser.get('/dashboard')
  const path = `/dashboard/agents/${agent.id}/documents`
  expect(html).toContain(`<a href="${path}">&lt;b onclick=&quot;x&quot;&gt;&quot;&amp;&#39;&lt;/b&gt;</a>`)
  const documents = await browser.get(path)
  expect(documents.html).toContain('<title>Documents · &lt;b onclick')
  expect(documents.html).toMatch(/aria-current="page">Documents<\/a>/)
})

test('addresses between the screens lead to the next one', async () => {
  const { browser, agentId } = await signedIn()
  const documents = `/dashboard/agents/${agentId}/documents`
  for (const [path, to] of [
    ['/dashboard/agents', '/dashboard'],
    [`/dashboard/agents/${agentId}`, documents],
    [`${documents}/`, documents],
  ] as const)
    expect(await browser.get(path), path).toMatchObject({ status: 303, headers: { location: to } })
})

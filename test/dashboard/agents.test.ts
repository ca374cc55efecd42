import { expect, test } from 'vitest'
import { isOff } from '../../functions/dashboard/agents.ts'
import type { Permission } from '../../shared/permissions.ts'
import { setColumns } from './document-rows.ts'
import { useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()

test('an organization without agents can add the first one, if the key permits it', async () => {
  const without = async (granted?: Permission[]) => {
    const { browser, organizationId } = await signedIn(granted)
    await stand.db.deleteFrom('agents').where('organization_id', '=', organizationId).execute()
    return await browser.get('/dashboard')
  }
  const own = await without()
  expect(own.text).toContain('No agents yet')
  expect(own.html).toContain('href="/dashboard/agents/new"')
  const read = await without(['kb:read'])
  expect(read.text).toContain('Someone who can change settings has to add the first one.')
  expect(read.html).not.toContain('agents/new')
})

test('an agent is added and renamed, as the API then shows', async () => {
  const { browser, agentId, call } = await signedIn()
  const added = await browser.submit('/dashboard/agents/new', { name: ' Front desk ' })
  expect(added.text).toContain('“Front desk” was added.')
  expect(added.html).toContain('<title>Documents · Front desk')
  const rename = `/dashboard/agents/${agentId}/edit`
  expect((await browser.get(rename)).html).toContain('value="Agent"')
  expect((await browser.submit(rename, { name: 'Night <desk>' })).text).toContain(
    '“Agent” is now called “Night <desk>”.',
  )
  const { body } = await call('GET', '/v1/agents')
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Front desk', 'Night <desk>'])
})

test.each([
  [' ', 'Enter a name.'],
  ['a'.repeat(201), 'A name can have at most 200 characters.'],
])('an agent can’t be called %o', async (name, message) => {
  const { browser, agentId, call } = await signedIn()
  for (const path of ['/dashboard/agents/new', `/dashboard/agents/${agentId}/edit`]) {
    const { status, html } = await browser.post(path, { name })
    expect(status).toBe(422)
    expect(html).toMatch(new RegExp(`id="name-fault" class="fault">.*${message}`))
  }
  const { body } = await call('GET', '/v1/agents')
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Agent'])
})

test('an agent answers once one of its documents is ready; before that, the screen says why it does not', async () => {
  const { browser, call, knowledgeBase } = await signedIn()
  const shown = async () => (await browser.get('/dashboard')).text
  expect(await shown()).toContain(isOff.none)
  const post = (title: string) => call('POST', knowledgeBase, { title, content: 'Closed on Sunday.' })
  const { body } = await post('Hours')
  expect(await shown()).toContain(`${isOff.pending} 1 document 1 processing`)

  await setColumns(stand, body.id, `status = 'error', error_message = 'Unreadable'`)
  expect(await shown()).toContain(`${isOff.failed} 1 document 1 failed`)

  await post('Prices')
  await stand.deliver()
  await post('Holidays')
  expect(await shown()).toContain(`Answers callers 3 documents 1 ready 1 processing 1 failed`)
})

test('an address without a screen redirects to the nearest one', async () => {
  const { browser, agentId } = await signedIn()
  const documents = `/dashboard/agents/${agentId}/documents`
  for (const [path, to] of [
    ['/dashboard/agents', '/dashboard'],
    [`/dashboard/agents/${agentId}`, documents],
    [`${documents}/`, documents],
  ] as const)
    expect(await browser.get(path), path).toMatchObject({ status: 303, headers: { location: to } })
})

import { expect, test } from 'vitest'
import { addPerson } from '../../../infra/admin/people.ts'
import type { OrganizationId } from '../../../shared/ids.ts'
import { signInAs } from '../../../shared/organizations/sessions.ts'
import { listen } from '../../support/http/loopback.ts'
import { useGateway } from '../../support/stand/gateway.ts'
import { useStand } from '../../support/stand/stand.ts'
import { axeFindings } from '../../support/tools/axe-findings.ts'
import { executablePath, useChromium, watched } from '../../support/tools/chromium.ts'
import { challengeOf } from '../support.ts'

const stand = useStand()
const gateway = useGateway(stand)
const chromium = useChromium()

test.runIf(executablePath)(
  'a person who comes from an app connects it in the browser, which returns to the app',
  async () => {
    const { organizationId, agentId } = await stand.tenant()
    const [organization, mail] = [organizationId as OrganizationId, `${organizationId}@example.com`]
    await addPerson(stand.db, { organization, mail, role: 'viewer' })
    const opened = await signInAs(stand.db, mail)
    if (opened.outcome !== 'opened') throw new Error('Not signed in')
    let answer = ''
    const app = await listen(({ url }, response) => {
      if (url?.startsWith('/callback?')) answer = url
      response.setHeader('content-type', 'text/html').end(`<a href="${authorize()}">Connect</a>`)
    })
    // Another site than Cuecard's, which has the session's cookie.
    const origin = app.origin.replace('127.0.0.1', 'localhost')
    const registered = await fetch(`${gateway.origin}/connect/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'An assistant', redirect_uris: [`${origin}/callback`] }),
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const authorize = () => {
      const asked = { response_type: 'code', client_id, redirect_uri: `${origin}/callback`, state: 's1' }
      const resource = `${gateway.origin}/v1/agents/${agentId}/connect/mcp`
      const pkce = { code_challenge: challengeOf('v'.repeat(43)), code_challenge_method: 'S256' }
      return `${gateway.origin}/dashboard/connect?${new URLSearchParams({ ...asked, ...pkce, resource })}`.replaceAll(
        '&',
        '&amp;',
      )
    }
    const context = await chromium.newContext()
    const cookie = {
      name: 'cuecard_session',
      value: opened.token,
      path: '/dashboard',
      sameSite: 'Lax',
      httpOnly: true,
    } as const
    await context.addCookies([{ ...cookie, domain: new URL(gateway.origin).hostname }])
    const page = await context.newPage()
    const wrong = watched(page)
    await page.goto(origin)
    await page.getByRole('link', { name: 'Connect' }).click()
    await page.getByRole('heading', { name: 'Connect this app?' }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.waitForURL(`${origin}/callback?**`)
    const parameters = new URL(answer, origin).searchParams
    expect([parameters.get('state'), parameters.get('iss')]).toEqual(['s1', `${gateway.origin}/connect`])
    expect(parameters.get('code')).toMatch(/^[\w-]{43}$/)
    // The page that reloads itself names no icon, so the browser looks for one.
    expect(wrong.filter((each) => !each.includes('404'))).toEqual([])
    await context.close()
    await app.close()
  },
)

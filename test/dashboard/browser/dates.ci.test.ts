import { describe, expect, test } from 'vitest'
import { useStand } from '../../support/stand/stand.ts'
import { axeFindings } from '../../support/tools/axe-findings.ts'
import { executablePath } from '../../support/tools/chromium.ts'
import { useSignedIn } from './signed-in.ts'

const stand = useStand()

describe.runIf(executablePath)('a document for a limited time (needs chromium, or CHROMIUM with its path)', () => {
  const { open } = useSignedIn(stand)

  test('is given days, edited and asked about in the agent’s time zone, on a phone elsewhere', async () => {
    const tenant = await stand.tenant()
    const year = new Date().getFullYear() + 1
    const content = `Vom 20.12.${year} bis 6.1.${year + 1} geschlossen.`
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Ferien', content })
    await stand.deliver()
    const agent = `/dashboard/agents/${tenant.agentId}`
    const phone = { viewport: { width: 390, height: 844 }, timezoneId: 'Asia/Tokyo' }
    await tenant.call('PATCH', `/v1/agents/${tenant.agentId}`, { time_zone: 'America/New_York' })
    const { page, wrong } = await open(tenant, `${agent}/documents/${body.id}/edit`, phone)
    const widthOf = () => page.evaluate('document.documentElement.scrollWidth')
    await page.getByText('Serve it for a limited time').click()
    await page.getByLabel('First day').fill(`${year}-12-20`)
    await page.getByLabel('Last day').fill(`${year + 1}-01-06`)
    expect(await axeFindings(page)).toEqual([])
    expect(await widthOf()).toBe(390)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('#flash').getByText('“Ferien” was saved.').waitFor()
    const read = async () => {
      const { valid_from, valid_until } = (await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).body
      return [valid_from, valid_until]
    }
    expect(await read()).toEqual([`${year}-12-20T05:00:00.000Z`, `${year + 1}-01-07T05:00:00.000Z`])
    await page.getByText(`from Dec 20, ${year} · until Jan 6, ${year + 1}`).waitFor()
    await page.getByText('Scheduled', { exact: true }).waitFor()

    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    const hint =
      'Callers get answers from it from the beginning of the first day to the end of the last one, in the time zone America/New_York. Leave a day empty for no limit.'
    await page.getByText(hint).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByLabel('Last day').fill('')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('#flash').getByText('“Ferien” was saved.').waitFor()
    expect(await read()).toEqual([`${year}-12-20T05:00:00.000Z`, null])

    await page.goto(new URL(`${agent}/ask`, page.url()).href)
    await page.getByLabel('What a caller would say').fill('geschlossen')
    await page.getByText('Ask at another time').click()
    await page.getByLabel('As of').fill(`${year}-12-25T10:00`)
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page
      .getByText(`As of Dec 25, ${year}, 10:00 AM (America/New_York), from the documents that are valid then.`)
      .waitFor()
    await page.getByText(content).first().waitFor()
    expect(await axeFindings(page)).toEqual([])
    expect(await widthOf()).toBe(390)
    expect(wrong).toEqual([])
  })

  test('has days of the time zone that the browser proposed when somebody made the agent, or was asked once', async () => {
    const tenant = await stand.tenant()
    const agent = `/dashboard/agents/${tenant.agentId}`
    const { page, wrong } = await open(tenant, `${agent}/documents`, { timezoneId: 'America/Toronto' })
    const question = page.getByText('Is America/Toronto the time zone of this business?')
    await question.waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Yes', exact: true }).click()
    await page.locator('#flash').getByText('“Agent” was saved.').waitFor()
    expect(await question.count()).toBe(0)

    await page.goto(new URL('/dashboard/agents/new', page.url()).href)
    await page.getByLabel('Name').fill('Night desk')
    await page.getByRole('button', { name: 'Add agent' }).click()
    await page.locator('#flash').getByText('“Night desk” was added.').waitFor()
    const shown = async () => (await tenant.call('GET', '/v1/agents')).body.data
    expect(await shown()).toMatchObject([{ time_zone: 'America/Toronto' }, { time_zone: 'America/Toronto' }])

    await page.goto(new URL(`${agent}/edit`, page.url()).href)
    expect(await axeFindings(page)).toEqual([])
    await page.getByText('America/Toronto is in CA.').waitFor()
    await page.getByLabel('Time zone').selectOption('America/Vancouver')
    await page.getByLabel('Public holidays').fill('CA-BC')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('#flash').getByText('“Agent” was saved.').waitFor()
    expect((await shown())[1]).toMatchObject({ time_zone: 'America/Vancouver', holidays: 'CA-BC' })
    expect(wrong).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import { useStand } from '../../support/stand/stand.ts'
import { executablePath } from '../../support/tools/chromium.ts'
import { shortcomings } from '../shortcomings.ts'
import { useSignedIn } from './signed-in.ts'

const stand = useStand()

const menu = `# Menu

Pizzas are baked in a wood oven.

|Pizza|  Price |
|:--|--:|
| Margherita   | €8.00|
| Diavola \\| hot | €9.50 |

Closed on Monday.

| Drink | Price | Size |
| --- | --- | --- |
| Water | €2.00 | 0.5 l |
`

describe.runIf(executablePath)('tables of a text (needs chromium, or CHROMIUM with its path)', () => {
  const { open } = useSignedIn(stand)

  async function openMenu(content = menu, width = 1280) {
    const tenant = await stand.tenant()
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Menu', content })
    const address = `/dashboard/agents/${tenant.agentId}/documents/${body.id}/edit`
    const { page, wrong } = await open(tenant, address, { viewport: { width, height: 844 } })
    const cell = (name: string) => page.getByLabel(name, { exact: true }).first()
    return {
      tenant,
      page,
      wrong,
      address,
      cell,
      button: (name: string) => page.getByRole('button', { name, exact: true }).first(),
      focused: () => page.evaluate("document.activeElement.getAttribute('aria-label')"),
      /** Saves with this button. @returns the stored text */
      async save(name = 'Save'): Promise<string> {
        await page.getByRole('button', { name, exact: true }).click()
        await page.locator('#flash').getByText('“Menu” was saved.').waitFor()
        return (await tenant.call('GET', `${tenant.knowledgeBase}/${body.id}`)).body.content
      },
    }
  }

  test('stay beside bold lines that are made headings', async () => {
    const { page, button, save } = await openMenu(`**Opening hours:**\n\nWe open at 9. **Always.**\n\n${menu}`)
    await page.getByText('Bold lines that head a section: 1.').waitFor()
    await button('Make them headings').click()
    expect(await button('Make them headings').isVisible()).toBe(false)
    expect(await save()).toBe(`## Opening hours\n\nWe open at 9. **Always.**\n\n${menu}`)
  })

  test.each([390, 1280])(
    'are edited by keyboard in a grid at a width of %i, and the rest of the text stays the same to the byte',
    async (width) => {
      const { page, wrong, cell, focused, save } = await openMenu(menu, width)
      expect(await shortcomings(page, width)).toEqual([])
      await cell('Price, row 1').focus()
      await page.keyboard.press('Enter')
      expect(await focused()).toBe('Price, row 2')
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type('€9.80 | large')
      await page.keyboard.press('Shift+Enter')
      expect(await focused()).toBe('Price, row 1')
      await page.keyboard.press('Shift+Tab')
      expect(await focused()).toBe('Pizza, row 1')
      await page.getByRole('textbox', { name: 'Text', exact: true }).nth(1).fill('Closed on Tuesday.')
      expect(await save()).toBe(menu.replace('€9.50', '€9.80 \\| large').replace('on Monday', 'on Tuesday'))
      expect(wrong).toEqual([])
    },
  )

  test('and texts get the cursor where the passage begins that is corrected', async () => {
    const rows = Array.from({ length: 80 }, (_, i) => `| Item ${i} of the list | $${i} |`)
    const content = `| Item | Price |\n|---|---|\n${rows.join('\n')}\n\n# Hours\n\nWe open at 9.\n`
    const { page, tenant, address, cell, focused } = await openMenu(content, 375)
    await stand.deliver()
    const { data } = (await tenant.call('GET', `${tenant.knowledgeBase}/${address.split('/').at(-2)}/chunks`)).body
    const openAt = (passage: number) => page.goto(new URL(`${address}?passage=${passage}`, page.url()).href)
    await openAt(2)
    const row = rows.indexOf(content.slice(data[1].metadata.start).split('\n')[0]!)
    expect(row).toBeGreaterThan(1)
    expect(await focused()).toBe(`Price, row ${row + 1}`)
    await openAt(data.length)
    expect(await page.evaluate('document.activeElement.value')).toBe('# Hours\n\nWe open at 9.')
    expect(await cell('Item, row 1').isVisible()).toBe(true)
  })

  test('gain and lose rows, and an empty row is not saved', async () => {
    const { page, cell, button, focused, save } = await openMenu()
    await cell('Price, row 2').focus()
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('Price, row 3')
    await page.keyboard.type('€10')
    await cell('Pizza, row 3').fill('Funghi')
    await button('Add a row').click()
    expect(await focused()).toBe('Pizza, row 4')
    await button('Remove row 1').click()
    expect(await focused()).toBe('Remove row 1')
    expect(await save()).toContain(`|Pizza|  Price |
|:--|--:|
| Diavola \\| hot | €9.50 |
| Funghi | €10 |

Closed`)
  })

  test('can be edited as plain text', async () => {
    const { page, button, cell, save } = await openMenu()
    await cell('Price, row 1').fill('€7')
    await button('Edit as plain text').click()
    const text = page.getByRole('textbox', { name: 'Text', exact: true })
    expect(await text.inputValue()).toBe(menu.replace('€8.00', '€7'))
    await text.fill('No pizza today.')
    expect(await save()).toBe('No pizza today.')
  })
})

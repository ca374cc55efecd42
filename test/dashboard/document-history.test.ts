import { describe, expect, test } from 'vitest'
import { compareTexts } from '../../functions/dashboard/documents/diff.ts'
import { get, hiddenIn, pageOf, serve, write } from './document-rows.ts'
import { type SignedIn, useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

/** A document that had these texts in turn. Search serves the last. */
async function edited(tenant: SignedIn, ...texts: string[]) {
  const id = await serve(stand, tenant, 'Hours', texts[0])
  const patch = (body: object) => tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, body)
  for (const content of texts.slice(1)) {
    await patch({ content })
    await stand.deliver()
  }
  return { address: pageOf(tenant, id), patch, api: () => get(tenant, id) }
}

test('the history of a document is one click from it, says who changed it, what is served and what restoring would change, and restores it unless somebody has changed it since', async () => {
  const tenant = await signedIn()
  const unserved = await write(tenant, 'Hours', 'We open at 9.')
  expect((await tenant.browser.get(`${pageOf(tenant, unserved)}/history`)).text).toContain('Nothing yet')
  const [nine, eight] = ['We open at <9:00> & close late.', 'We open at <8:00> & close late.'] as const
  const { address, patch, api } = await edited(tenant, nine, eight)
  expect((await tenant.browser.get(address)).html).toContain(`href="${address}/history"`)
  const list = await tenant.browser.get(`${address}/history`)
  const links = [...list.html.matchAll(/history\/(\d+)"/g)].map(([, revision]) => revision)
  expect(links).toEqual(['2', '1'])
  expect(list.text.match(/“Hours” · by test/g)).toHaveLength(2)
  expect(list.text).toMatch(/Show the text of .* Compare the text of /)
  expect(list.text.match(/Served now/g)).toHaveLength(1)

  const { html } = await tenant.browser.get(`${address}/history/1`)
  expect(html).toContain('We open at &lt;<del>8:00</del><ins>9:00</ins>&gt; &amp; close late.')
  const restore = (html: string) =>
    tenant.browser.submit(`${address}/history/1/restore`, { edits: hiddenIn(html, 'edits') })
  await patch({ content: 'three' })
  const refused = await restore(html)
  expect(refused.text).toContain('Nothing was changed: somebody has changed this')
  expect(refused.html).toContain('<del>three</del>')
  expect(await api()).toMatchObject({ content: 'three' })
  const restored = await restore(refused.html)
  expect(restored.text).toContain('“Hours” gets its earlier text again.')
  await stand.deliver()
  expect(await api()).toMatchObject({ status: 'completed', content: nine })
  const [, newest] = /history\/(\d+)"/.exec((await tenant.browser.get(`${address}/history`)).html)!
  const now = await tenant.browser.get(`${address}/history/${newest}`)
  expect(now.text).toContain('The document has this text.')
  expect(now.html).not.toContain('/restore')
})

describe('two texts', () => {
  const paragraph = (i: number) => `Paragraph ${i} of a long text says what it has always said, without any change.\n`
  const long = Array.from({ length: 100 }, (_, i) => paragraph(i))

  test('are compared without text far from any change', () => {
    const { parts, isCut } = compareTexts(long.join(''), long.with(50, 'Paragraph 50 is new.\n').join(''))
    expect(isCut).toBe(false)
    const shown = parts.map(({ text }) => text).join('')
    expect(shown).toContain('Paragraph 49')
    expect(shown).not.toContain('Paragraph 40')
    expect(shown.length).toBeLessThan(1000)
  })

  test('of any kind show what each has and the other lacks', () => {
    for (const [before, after] of [
      ['', 'all new'],
      ['all gone', ''],
      ['Öffnet um neun', 'Öffnet um zehn'],
      ['a b c', 'c b a'],
      ['🚲 – two\u2028lines', '🚋 – two\r\nlines'],
    ] as const) {
      const { parts } = compareTexts(before, after)
      const without = (kind: string) => parts.flatMap((part) => (part.kind === kind ? [] : part.text)).join('')
      expect([without('added'), without('removed')]).toEqual([before, after])
    }
  })

  test('with tables are compared cell by cell, and an added or removed row stays whole', async () => {
    const tenant = await signedIn()
    const rows = Array.from({ length: 400 }, (_, i) => `| Pizza ${i} | 9.00 |`)
    const text = ['# Menu', '', '| Pizza | Price |', '| --- | --- |', ...rows, '', 'Closed on Monday.'].join('\n')
    const now = text
      .replace('| Pizza 200 | 9.00 |', '| Pizza 200 | 9.50 |')
      .replace('| Pizza 205 | 9.00 |\n', '')
      .replace('| Pizza 398 | 9.00 |', '| Pizza 398 | 9.00 |\n| Calzone \\| hot | 11.00 |')
    const { address } = await edited(tenant, now, text)
    const { html } = await tenant.browser.get(`${address}/history/1`)
    expect(html).toContain('<tr><td>Pizza 200</td><td><del>9.00</del><ins>9.50</ins></td></tr>')
    expect(html).toContain('<tr><td><del>Pizza 205</del></td><td><del>9.00</del></td></tr>')
    expect(html).toMatch(/<tr><td><ins>Calzone .*hot<\/ins><\/td><td><ins>11.00<\/ins><\/td><\/tr>/)
    expect(html).toContain('<td>Pizza 204</td>')
    expect(html).not.toContain('Pizza 100')
    expect(html).not.toContain('---')
  })

  test('of the maximum size with nothing in common are still compared, and the result is cut', () => {
    const other = (word: string) => Array.from({ length: 400_000 }, (_, i) => `${word}${i}`).join('\n')
    expect(compareTexts(other('a'), other('b')).isCut).toBe(true)
  })
})

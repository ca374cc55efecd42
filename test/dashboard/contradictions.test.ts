import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listOf, write } from './document-rows.ts'
import { useDashboard } from './support.ts'

const { signedIn, stand } = useDashboard()

const table = (header: string, ...rows: string[]) =>
  [`| ${header} |`, `|${' --- |'.repeat(header.split('|').length)}`, ...rows.map((row) => `| ${row} |`)].join('\n')

/** What the page says of an agent with these documents, by title. */
async function pageOf(documents: Record<string, string>, dates: Record<string, object> = {}) {
  const tenant = await signedIn()
  const ids: Record<string, string> = {}
  for (const [title, content] of Object.entries(documents)) {
    ids[title] = await write(tenant, title, content)
    if (dates[title]) await tenant.call('PATCH', `${tenant.knowledgeBase}/${ids[title]}`, dates[title])
  }
  await stand.deliver()
  return { tenant, ids, ...(await tenant.browser.get(`${listOf(tenant)}/contradictions`)) }
}

const none = 'No two documents give the same item different prices'

test('an item with two prices is shown with both, and where they are', async () => {
  const menu = table('Item | Price', 'Flat white | €3.20', 'Pot of tea | €4.00')
  const {
    tenant,
    ids: { Questions: questions },
    html,
    text,
  } = await pageOf({ Menu: menu, Questions: 'We open at 9. A flat white costs €3.90!' })
  expect(text).toContain('Menu and Questions 1 price differs. Flat white · €3.20 – A flat white costs €3.90!')
  expect(html).toContain(`href="${listOf(tenant)}/${questions}?passage=1#passage-1"`)
  const list = await tenant.browser.get(listOf(tenant))
  expect(list.html).toContain(`hx-get="${listOf(tenant)}/contradictions" hx-trigger="load"`)
  expect((await tenant.browser.part(`${listOf(tenant)}/contradictions`)).text).toContain('Check these documents')
})

test('two versions of a list are shown once, with how many prices differ', async () => {
  const rows = ['Tea', 'Coffee', 'Cake', 'Juice', 'Soup', 'Bread', 'Wine'].map((item, i) => [item, i + 3] as const)
  const list = (more: number) =>
    table('Getränk | Klein | Groß', ...rows.map(([item, i]) => `${item} | ${i},00 € | ${i + more},50 €`))
  const { text } = await pageOf({ 'List 2026': list(1), 'List 2027': list(2) })
  expect(text).toContain('List 2026 and List 2027 They say nearly the same. 7 prices differ. Tea · 3,00 € · 4,50 €')
  expect(text).toContain('and 2 more')
})

test('a copy is shown as one', async () => {
  const content = 'We open at nine every day.\n\nDogs are welcome in the garden.\n\nParking is behind the house.'
  const { text } = await pageOf({ House: content, 'House copy': content })
  expect(text).toContain('House and House copy They say nearly the same.')
})

test.each<[string, Record<string, string>, Record<string, object>?]>([
  [
    'the same price in other forms',
    { A: 'A day ticket costs 1.200,00 €.', B: table('Item | Price', 'Day ticket | EUR 1,200') },
  ],
  [
    'prices of other columns',
    { A: table('Item | Per day', 'City bike | €9'), B: table('Item | Per week', 'City bike | €40') },
  ],
  [
    'one word in lists of other things',
    {
      A: table('Item | Price', 'Adults | €9', 'Sauna hire | €3'),
      B: table('Item | Price', 'Adults | €4', 'Boat hire | €7'),
    },
  ],
  [
    'a price of each house',
    { A: 'Breakfast in bed costs €9.', B: 'Breakfast in bed costs €10.', C: 'Breakfast in bed costs €11.' },
  ],
  [
    'what one document itself gives two prices',
    { A: 'A small portion costs €9. A small portion costs €5.', B: 'A small portion costs €7.' },
  ],
  [
    'prices at different times',
    { A: 'A flat white costs €3.20.', B: 'A flat white costs €3.90.' },
    { A: { valid_until: '2098-01-01T00:00:00Z' }, B: { valid_from: '2098-01-01T00:00:00Z' } },
  ],
  [
    'numbers that are no prices',
    { A: 'Room 12 has 2 beds, and opens at 9.30.', B: 'Room 12 has 3 beds, and opens at 8.30.' },
  ],
])('%s: no contradiction', async (_, documents, dates) => {
  expect((await pageOf(documents, dates)).text).toContain(none)
})

test('an agent with more than 1,000 passages is not compared while somebody waits', async () => {
  const tenant = await signedIn()
  const id = await write(tenant, 'Menu', 'A flat white costs €3.20.')
  await stand.deliver()
  await sql`insert into chunks (organization_id, id, agent_id, document_id, revision, chunk_index, content, token_count)
    select organization_id, gen_random_uuid(), agent_id, document_id, revision, i, content, token_count
    from chunks, generate_series(1, 1000) i where document_id = ${id}`.execute(stand.db)
  expect((await tenant.browser.get(`${listOf(tenant)}/contradictions`)).text).toContain('too many passages')
})

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()
const path = '?exclude=content'

test('exclude=content leaves the content out of a document and of a list, and nothing else', async () => {
  const { call, knowledgeBase } = await stand.tenant()
  for (const body of [{ title: 'A', content: 'On Sunday.' }, { title: 'B' }]) {
    const created = await call('POST', knowledgeBase, body)
    const { content: _, ...rest } = created.body
    expect((await call('GET', created.headers.location + path)).body).toEqual(rest)
    expect((await call('GET', created.headers.location!)).body).toEqual(created.body)
    expect((await call('GET', knowledgeBase + path)).body.data[0]).toEqual(rest)
    expect((await call('GET', knowledgeBase)).body.data[0]).toEqual(created.body)
  }
})

test('a document without its content has the same tag', async () => {
  const { call, knowledgeBase } = await stand.tenant()
  const { headers } = await call('POST', knowledgeBase, { title: 'A', content: 'On Sunday.' })
  const location = headers.location!
  const whole = await call('GET', location)
  const excluded = await call('GET', location + path)
  expect(excluded.headers.etag).toBe(whole.headers.etag)
  for (const url of [location, location + path])
    expect(await call('GET', url, undefined, { 'if-none-match': whole.headers.etag! })).toMatchObject({
      status: 304,
      headers: { etag: whole.headers.etag },
    })
  const patched = await call('PATCH', location, { title: 'B' }, { 'if-match': excluded.headers.etag! })
  expect(patched.body).toMatchObject({ title: 'B', content: 'On Sunday.' })
  expect(await call('GET', location + path, undefined, { 'if-none-match': whole.headers.etag! })).toMatchObject({
    status: 200,
    body: { title: 'B' },
  })
})

test('Link leads to the next page without contents, and its cursor also to one with them', async () => {
  const { call, knowledgeBase } = await stand.tenant()
  for (const title of ['a', 'b', 'c']) await call('POST', knowledgeBase, { title, content: title })
  const first = await call('GET', `${knowledgeBase}${path}&limit=2`)
  const second = await call('GET', /<(.+)>/.exec(first.headers.link!)![1]!)
  expect(second.body.data).toMatchObject([{ title: 'a' }])
  expect(second.body.data[0]).not.toHaveProperty('content')
  const whole = await call('GET', `${knowledgeBase}?cursor=${first.body.next_cursor}`)
  expect(whole.body.data).toMatchObject([{ title: 'a', content: 'a' }])
})

test('the database sends no contents that the answer omits', async () => {
  const { call, knowledgeBase } = await stand.tenant()
  const location = (await call('POST', knowledgeBase, { title: 'A', content: 'On Sunday.' })).headers.location!
  const { rows } = await sql<{ name: string }>`select attname as name from pg_attribute
    where attrelid = 'documents'::regclass and attnum > 0 and not attisdropped
      and attname <> 'content'`.execute(stand.db)
  const others = sql.join(rows.map(({ name }) => sql.id(name)))
  await sql`revoke select on documents from cuecard_documents`.execute(stand.db)
  await sql`grant select (${others}) on documents to cuecard_documents`.execute(stand.db)
  for (const url of [location, knowledgeBase]) {
    expect((await call('GET', url)).status).toBe(500)
    expect((await call('GET', url + path)).status).toBe(200)
  }
  await sql`grant select on documents to cuecard_documents`.execute(stand.db)
})

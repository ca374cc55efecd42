import { PurgeQueueCommand } from '@aws-sdk/client-sqs'
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

test('a page without contents has the requested number of documents of any size, and so has the next page', async () => {
  const { call, knowledgeBase } = await stand.tenant()
  for (const title of ['a', 'b', 'c', 'd'])
    await call('POST', knowledgeBase, { title, content: title.repeat(2_500_000) })
  // Listing them doesn't require their processing.
  await stand.sqs.send(new PurgeQueueCommand({ QueueUrl: stand.queue.queueUrl }))
  const titles = (page: { body: { data: { title: string }[] } }) => page.body.data.map(({ title }) => title)
  const first = await call('GET', `${knowledgeBase}${path}&limit=3`)
  expect(titles(first)).toEqual(['d', 'c', 'b'])
  const second = await call('GET', /<(.+)>/.exec(first.headers.link!)![1]!)
  expect(titles(second)).toEqual(['a'])
  expect(second.body.data[0]).not.toHaveProperty('content')
  // The cursor leads through the same list, with contents or without.
  const whole = await call('GET', `${knowledgeBase}?limit=1&cursor=${first.body.next_cursor}`)
  expect(whole.body.data[0].content).toHaveLength(2_500_000)
})

test('the database sends no contents that the answer leaves out', async () => {
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

import { expect, test } from 'vitest'
import { useStand } from '../support/stand/stand.ts'
import { workMessage } from '../support/stand/worker.ts'

const stand = useStand()

test('a document that is posted goes through the queue and the embedding Lambda, and is found by a search', async () => {
  const { call, knowledgeBase } = await stand.tenant()
  const content = '# Hours\n\nOn Sunday we are closed.'
  const created = await call('POST', knowledgeBase, { title: 'Hours', content })
  expect(created).toMatchObject({ status: 201, body: { status: 'pending', chunk_count: 0, source_type: 'manual' } })

  await stand.deliver()

  const path = created.headers.location!
  expect(await call('GET', path)).toMatchObject({ status: 200, body: { status: 'completed', chunk_count: 1 } })
  const found = await call('POST', `${knowledgeBase}/search`, { query: 'Are you closed on Sunday?' })
  expect(found.body.data[0]).toMatchObject({
    document_id: created.body.id,
    document_title: 'Hours',
    chunk_index: 0,
    content,
    metadata: { headings: ['Hours'], start: 0 },
  })
  expect(found.body.data[0].score).toBeGreaterThan(0.3)
})

test('a message that is delivered twice, at once or later, has the effect of one delivery', async () => {
  const { call, knowledgeBase, organizationId } = await stand.tenant()
  const { body: document } = await call('POST', knowledgeBase, { title: 'T', content: 'One. Two.' })
  const message = workMessage({ organizationId, id: document.id })
  await Promise.all([stand.embedding(message, message), stand.embedding(message)])
  const completed = (await call('GET', `${knowledgeBase}/${document.id}`)).body
  expect(completed).toMatchObject({ status: 'completed', chunk_count: 1 })
  const chunks = await call('GET', `${knowledgeBase}/${document.id}/chunks`)
  await stand.embedding(message)
  expect(await call('GET', `${knowledgeBase}/${document.id}`)).toMatchObject({ body: completed })
  expect((await call('GET', `${knowledgeBase}/${document.id}/chunks`)).body).toEqual(chunks.body)
})

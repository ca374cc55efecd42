import { describe, expect, test } from 'vitest'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { limit, limitedTenant } from '../support/stand/tenant.ts'
import { cuecardJson } from '../support/tools/command-line.ts'

const stand = useStand()

const limited = (documents_in_pipeline: number) => limitedTenant(stand, { documents_in_pipeline })

const create = (tenant: Tenant, content?: string) =>
  tenant.call('POST', tenant.knowledgeBase, { title: 'T', ...(content !== undefined && { content }) })

describe('an organization with as many documents in the pipeline as it may have', () => {
  test('may add no more, and nothing is stored', async () => {
    const tenant = await limited(2)
    for (let i = 0; i < 2; i++) expect((await create(tenant, 'A text.')).status).toBe(201)
    const { status, body, headers } = await create(tenant, 'A text.')
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' })
    expect(body.detail).toContain('2 documents that are pending or processing')
    expect(headers).toMatchObject({
      'retry-after': '30',
      ratelimit: '"documents";r=0;t=30',
      'ratelimit-policy': '"documents";q=2',
    })
    expect((await tenant.call('GET', tenant.knowledgeBase)).body.data).toHaveLength(2)
  })

  test('may repeat the request once there is room, under the same Idempotency-Key', async () => {
    const tenant = await limited(1)
    await create(tenant, 'A text.')
    const again = () =>
      tenant.call('POST', tenant.knowledgeBase, { title: 'T', content: 'Another.' }, { 'idempotency-key': 'k' })
    expect((await again()).status).toBe(429)
    await stand.deliver()
    expect((await again()).status).toBe(201)
  })

  test('may not add any by an edit or a retry either, and the document stays unchanged', async () => {
    const tenant = await limited(1)
    const path = (await create(tenant, 'A text.')).headers.location!
    await stand.deliver()
    await create(tenant, 'A text.')
    for (const change of [{ content: 'Another.' }, { status: 'pending' }])
      expect((await tenant.call('PATCH', path, change)).status).toBe(429)
    expect((await tenant.call('GET', path)).body).toMatchObject({ status: 'completed', content: 'A text.' })
  })

  test('may edit documents in the pipeline, and add some that need none', async () => {
    const tenant = await limited(1)
    const path = (await create(tenant, 'A text.')).headers.location!
    expect((await tenant.call('PATCH', path, { content: 'Another.' })).status).toBe(200)
    const own = await create(tenant)
    expect(own.status).toBe(201)
    const chunks = { chunks: [{ content: 'c', chunk_index: 0 }] }
    expect((await tenant.call('POST', `${own.headers.location}/chunks`, chunks)).status).toBe(201)
  })

  test('still has them processed, because a requeued document does not count again', async () => {
    const tenant = await limited(1)
    const path = (await create(tenant, 'A text.')).headers.location!
    await limit(stand.db, tenant.organizationId, { documents_in_pipeline: 0 })
    await stand.deliver()
    expect((await tenant.call('GET', path)).body.status).toBe('completed')
  })
})

test('an operator sees limits and usage, and changes only the given limits', async () => {
  const tenant = await limited(7)
  await create(tenant, 'A text.')
  const id = tenant.organizationId
  const shown = await cuecardJson('organization', 'limits', id)
  expect(shown).toMatchObject({ id, limits: { documents_in_pipeline: 7 }, use: { documents_in_pipeline: 1 } })
  const changed = await cuecardJson(
    ...['organization', 'limits', id, '--requests-per-second', '5', '--burst', '9', '--tokens-per-day', '0'],
    ...['--stored-bytes', '80'],
  )
  const limits = {
    requests_per_second: 5,
    request_burst: 9,
    tokens_per_day: 0,
    documents_in_pipeline: 7,
    stored_bytes: 80,
  }
  expect(changed.limits).toEqual(limits)
  const { body } = await tenant.call('GET', '/v1/organization/usage')
  expect(body.limits).toEqual(changed.limits)
})

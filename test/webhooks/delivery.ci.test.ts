import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { newId } from '../../shared/ids.ts'
import { OutboundRefused } from '../../shared/outbound/addresses.ts'
import { age } from '../support/documents/documents.ts'
import { away, isSignedWith, makeWebhook, newWebhook, tellOn, useReceiver } from '../support/http/receiver.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { keptQueue, sweeperWith } from '../support/stand/worker.ts'

const stand = useStand()
const receiver = useReceiver(stand)
const { received, run } = receiver
const hour = 3600

const create = async ({ call, knowledgeBase }: Tenant, content = 'We close at six.') =>
  (await call('POST', knowledgeBase, { title: 'Hours', content, external_id: newId() })).body

const tell = tellOn(stand)

const swept = async () => await sweep(sweeperWith(keptQueue().queue))

describe('a webhook is notified', () => {
  test('of a completed document by its ids, signed as Standard Webhooks specifies', async () => {
    const { tenant, secret, deliveries } = await newWebhook(stand)
    const { id, external_id } = await create(tenant)
    await stand.deliver()
    expect(await run()).toEqual({ delivered: 1, failed: 0 })
    const [sent] = received
    const data = { agent_id: tenant.agentId, document_id: id, external_id, revision: 1, status: 'completed' }
    expect(sent!.event).toEqual({ type: 'document.completed', timestamp: expect.any(String), data })
    expect(isSignedWith(secret, sent!)).toBe(true)
    expect(await deliveries()).toMatchObject([{ id: sent!.id, status: 'delivered', response_status: 204, attempts: 1 }])
    expect(await run()).toEqual({ delivered: 0, failed: 0 })
  })

  test('of a failed document, and of the golden question that stopped it', async () => {
    const { tenant } = await newWebhook(stand, ['golden_question.failed', 'document.failed'])
    const { id } = await create(tenant)
    await stand.deliver()
    const golden = { question: 'When do you close?', expects: { words: 'close at six' }, on_failure: 'block' }
    await tenant.call('POST', `/v1/agents/${tenant.agentId}/golden-questions`, golden)
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { content: 'Parking is free.' })
    await stand.deliver()
    await run()
    expect(received.map(({ event }) => [event.type, event.data.document_id, event.data.revision])).toEqual([
      ['document.failed', id, 2],
      ['golden_question.failed', id, 2],
    ])
  })

  test('of a golden question that passed and no longer does', async () => {
    const { tenant } = await newWebhook(stand, ['golden_question.failed'])
    const { id } = await create(tenant)
    await stand.deliver()
    const path = `/v1/agents/${tenant.agentId}/golden-questions`
    const golden = (await tenant.call('POST', path, { question: 'Closing?', expects: { words: 'close at six' } })).body
    await tenant.call('PATCH', `${tenant.knowledgeBase}/${id}`, { content: 'Parking is free.' })
    await stand.deliver()
    await tenant.call('POST', `${path}/run`)
    await run()
    const data = { agent_id: tenant.agentId, golden_question_id: golden.id }
    expect(received.map(({ event }) => event)).toMatchObject([{ type: 'golden_question.failed', data }])
  })

  test('once of each revision that is not ready after ten minutes', async () => {
    const { tenant } = await newWebhook(stand, ['document.waiting'])
    const { id } = await create(tenant)
    await swept()
    await run()
    expect(received).toEqual([])
    await age(stand.db, 601)
    await swept()
    await swept()
    await run()
    expect(received.map(({ event }) => event.data)).toMatchObject([{ document_id: id, revision: 1, status: 'pending' }])
  })

  test('once a day of the number of each agent’s unanswered questions, without their text', async () => {
    const { tenant, id } = await newWebhook(stand, ['questions.unanswered'])
    await sql`update organizations set log_questions = true where id = ${tenant.organizationId}`.execute(stand.db)
    for (const status of ['nothing', 'uncertain', 'found'])
      await sql`insert into question_log (organization_id, agent_id, id, question, mode, is_degraded, hits, answerable, status, milliseconds, asked_at)
        values (${tenant.organizationId}, ${tenant.agentId}, ${newId()}, 'A secret?', 'hybrid', false, '[]', 0.5, ${status}, 1,
          ((now() at time zone 'utc')::date)::timestamp at time zone 'utc' - interval '1 hour')`.execute(stand.db)
    await swept()
    await run()
    expect(received).toEqual([])
    await sql`update webhooks set digested_on = digested_on - 1 where id = ${id}`.execute(stand.db)
    await Promise.all([swept(), swept()])
    await run()
    const agents = [{ agent_id: tenant.agentId, asked: 3, unanswered: 2 }]
    expect(received.map(({ event }) => event.data)).toEqual([
      { day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), agents },
    ])
  })

  test('of a source that could not be read', async () => {
    const { tenant } = await newWebhook(stand, ['source.failed'])
    const { agentId } = tenant
    const source = (await tenant.call('POST', `/v1/agents/${agentId}/sources`, { url: 'https://inn.example/' })).body
    for (const text of [null, 'It answered 500.', 'It answered 502.'])
      await sql`update sources set status = ${text ? 'error' : 'ready'}, error_message = ${text} where id = ${source.id}`.execute(
        stand.db,
      )
    await run()
    expect(received.map(({ event }) => event.data)).toEqual([{ agent_id: agentId, source_id: source.id }])
  })

  test('of no event that it has not subscribed to, and of none of another organization', async () => {
    const [tenant, other] = [await stand.tenant(), await stand.tenant()]
    await makeWebhook(tenant, ['document.failed'])
    await makeWebhook(other, ['document.completed'])
    await create(tenant)
    await stand.deliver()
    expect(await run()).toEqual({ delivered: 0, failed: 0 })
  })
})

describe('a delivery', () => {
  /** A webhook with an event that is due. */
  async function due() {
    const webhook = await newWebhook(stand)
    await tell(webhook.tenant, newId())
    return webhook
  }

  test.each([200, 201, 204, 299])('that is answered with %i has succeeded', async (status) => {
    const { deliveries } = await due()
    receiver.answers(() => status)
    await run()
    expect(await deliveries()).toMatchObject([{ status: 'delivered', response_status: status }])
  })

  const isInside = () => Promise.reject(new OutboundRefused('leads to 10.0.0.1, which is not a public address'))
  test.each<[string, () => number | Promise<number>, number | null, string]>([
    ['that is answered with 302', () => 302, 302, 'The receiver answered 302, and redirects are not followed'],
    ['that is answered with 404', () => 404, 404, 'The receiver answered 404'],
    ['that is answered with 500', () => 500, 500, 'The receiver answered 500'],
    ['that is not answered', away, null, 'The connection failed (ECONNREFUSED)'],
    ['to a private address', isInside, null, 'The address leads to 10.0.0.1, which is not a public address'],
  ])('%s has failed, with its reason', async (_, answer, response_status, error) => {
    const { deliveries } = await due()
    receiver.answers(answer)
    await run()
    expect(await deliveries()).toMatchObject([{ status: 'pending', response_status, error, attempts: 1 }])
  })

  test('that is answered with 410 disables the webhook until it is enabled again', async () => {
    const { tenant, path, deliveries } = await due()
    receiver.answers(() => 410)
    await run()
    expect((await tenant.call('GET', path)).body).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
    expect(await deliveries()).toMatchObject([{ status: 'failed', response_status: 410 }])
    await tell(tenant, newId())
    receiver.answers(() => 204)
    expect(await run()).toEqual({ delivered: 0, failed: 0 })
    const enabled = await tenant.call('PATCH', path, { status: 'enabled' })
    expect(enabled.body).toMatchObject({ status: 'enabled', disabled_reason: null })
    await tell(tenant, newId())
    expect(await run()).toEqual({ delivered: 1, failed: 0 })
  })

  test('is tried ten times within three days and a quarter, under the same id', async () => {
    const { deliveries } = await due()
    receiver.answers(away)
    const begun = receiver.now
    for (let i = 0; i < 90; i++) {
      await run()
      receiver.pass(hour)
      if (i === 0) await run()
    }
    expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: 10, next_attempt_at: null }])
    expect(new Set(received.map(({ id }) => id)).size).toBe(1)
    const last = received.at(-1)!.at.getTime() - begun.getTime()
    expect(last / hour / 1000 / 24).toBeGreaterThan(3)
    expect(last / hour / 1000 / 24).toBeLessThan(3.5)
  })

  test('that fails for five days disables the webhook, unless one succeeds meanwhile', async () => {
    const { tenant, path } = await newWebhook(stand)
    const statusAfter = async (days: number) => {
      for (let i = 0; i < days; i++) {
        await tell(tenant, newId())
        await run()
        receiver.pass(24 * hour)
      }
      return (await tenant.call('GET', path)).body
    }
    receiver.answers(away)
    expect(await statusAfter(4)).toMatchObject({ status: 'enabled' })
    receiver.answers(() => 204)
    expect(await statusAfter(1)).toMatchObject({ status: 'enabled' })
    receiver.answers(away)
    expect(await statusAfter(5)).toMatchObject({ status: 'enabled' })
    expect(await statusAfter(2)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' })
  })
})

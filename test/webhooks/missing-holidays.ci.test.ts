import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { newId } from '../../shared/ids.ts'
import { createDocument } from '../support/documents/documents.ts'
import { makeWebhook, useReceiver } from '../support/http/receiver.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { keptQueue, sweeperWith } from '../support/stand/worker.ts'

const stand = useStand()
const receiver = useReceiver(stand)
const event = 'hours.missing_for_holiday'
const england = { time_zone: 'Europe/London', holidays: 'GB-ENG' }
const fortnightBefore = '2026-12-11T12:00:00Z'

/** A business with a webhook for the event. */
async function business(place: { time_zone?: string; holidays: string | null } = england) {
  const tenant = await stand.tenant()
  await makeWebhook(tenant, [event])
  await tenant.call('PATCH', `/v1/agents/${tenant.agentId}`, place)
  return tenant
}

/** Serves a text, with these fields of its document. */
async function serve(tenant: Tenant, content: string, fields: object = {}) {
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Hours', content, ...fields })
  await stand.deliver()
  return `${tenant.knowledgeBase}/${body.id}`
}

/** The days that webhooks are told of when the sweeper checks all agents at a time. */
async function toldAt(time: string) {
  await sql`update agents set holidays_due_at = now()`.execute(stand.db)
  const before = receiver.received.length
  await sweptAt(time)
  await receiver.run()
  return receiver.received.slice(before).map(({ event }) => event.data.day)
}

async function hoursToNext({ agentId }: Tenant) {
  const hours = sql<number>`round(extract(epoch from holidays_due_at - now()) / 3600)::int`
  return (await stand.db.selectFrom('agents').select(hours.as('hours')).where('id', '=', agentId).execute())[0]!.hours
}

const sweptAt = (time: string) => sweep({ ...sweeperWith(keptQueue().queue), now: () => new Date(time) })

test('the owner is reminded once, 14 days before each public holiday that no text names', async () => {
  const tenant = await business()
  await serve(tenant, 'We open at nine. On 1 May we are closed.')
  expect(await toldAt('2026-12-10T12:00:00Z')).toEqual([])
  expect(await toldAt(fortnightBefore)).toEqual(['2026-12-25'])
  const data = { agent_id: tenant.agentId, day: '2026-12-25', name: 'Christmas Day' }
  expect(receiver.received[0]!.event).toMatchObject({ type: event, data })
  expect(await toldAt(fortnightBefore)).toEqual([])
  expect(await toldAt('2026-12-13T12:00:00Z')).toEqual(['2026-12-26'])
  expect(await toldAt('2026-12-24T12:00:00Z')).toEqual(['2026-12-28', '2027-01-01'])
})

describe('the owner is not reminded if a text', () => {
  test.each([
    'We are closed on 25 December.',
    'From 24 December to 2 January the shop is closed.',
    'Christmas Day: closed.',
    '| Day | Hours |\n|---|---|\n| 25 December | closed |\n| Monday | 9 to 5 |',
    'On bank holidays we open an hour later.',
  ])('says %j', async (content) => {
    await serve(await business(), content)
    expect(await toldAt(fortnightBefore)).toEqual([])
  })

  test.each(['Open as usual on Family Day.', 'Fermé le jour de la Fête de la famille.'])(
    'has the name of a holiday of its region: %s',
    async (content) => {
      const tenant = await business({ time_zone: 'America/Toronto', holidays: 'CA-ON' })
      const path = await serve(tenant, content)
      expect(await toldAt('2026-02-10T12:00:00Z')).toEqual([])
      await tenant.call('PATCH', path, { content: 'Open as usual.' })
      await stand.deliver()
      expect(await toldAt('2026-02-10T12:00:00Z')).toEqual(['2026-02-16'])
    },
  )

  test('speaks of hours and is served only around the day', async () => {
    const tenant = await business()
    const valid = { valid_from: '2026-12-24T00:00:00Z', valid_until: '2026-12-26T00:00:00Z' }
    const path = await serve(tenant, 'We are closed.', valid)
    expect(await toldAt(fortnightBefore)).toEqual([])
    await tenant.call('PATCH', path, { valid_from: '2026-11-24T00:00:00Z' })
    expect(await toldAt(fortnightBefore)).toEqual(['2026-12-25'])
  })

  test('names it in one of many passages, or may do so, since there are more than are read', async () => {
    const tenant = await business()
    const path = await serve(tenant, 'Closed on 25 December.')
    const documentId = path.split('/').at(-1)
    const add = (from: number, to: number) =>
      sql`insert into chunks (organization_id, id, agent_id, document_id, revision, chunk_index, content, token_count)
        select ${tenant.organizationId}, gen_random_uuid(), ${tenant.agentId}, ${documentId}, 1, i, 'Open.', 1
        from generate_series(${from}::int, ${to}::int) i`.execute(stand.db)
    await add(1, 2998)
    expect(await toldAt(fortnightBefore)).toEqual([])
    await sql`update chunks set content = 'Open.' where chunk_index = 0`.execute(stand.db)
    await add(2999, 3100)
    expect(await toldAt(fortnightBefore)).toEqual([])
    await sql`delete from chunks where chunk_index > 2998`.execute(stand.db)
    expect(await toldAt(fortnightBefore)).toEqual(['2026-12-25'])
  })
})

test('a text that is not served on the day, or by another agent, names nothing', async () => {
  const tenant = await business()
  const content = 'Closed on 25 December.'
  await serve(tenant, content, { valid_until: '2026-12-25T00:00:00Z' })
  await serve(tenant, content, { valid_from: '2026-12-26T00:00:00Z' })
  await tenant.call('DELETE', await serve(tenant, content))
  const { body: other } = await tenant.call('POST', '/v1/agents', { name: 'Other', ...england })
  await serve({ ...tenant, knowledgeBase: `/v1/agents/${other.id}/knowledge-base` }, content)
  await createDocument(tenant, content)
  expect(await toldAt(fortnightBefore)).toEqual(['2026-12-25'])
  expect(receiver.received[0]!.event.data.agent_id).toBe(tenant.agentId)
})

test.each([
  [{ holidays: null }, []],
  [{ holidays: 'XX' }, []],
  [{ holidays: 'GB-ZZZ' }, ['2026-12-25']],
  [{ holidays: 'US-CA', time_zone: 'America/Los_Angeles' }, ['2026-12-25']],
])(
  'an agent has the holidays of its country if its region is unknown, and none without a known country: %j',
  async (place, days) => {
    await business(place)
    expect(await toldAt(fortnightBefore)).toEqual(days)
  },
)

test('the fortnight is one of the agent’s time zone', async () => {
  await business({ time_zone: 'America/Los_Angeles', holidays: 'US' })
  expect(await toldAt('2026-12-11T07:00:00Z')).toEqual([])
  expect(await toldAt('2026-12-11T09:00:00Z')).toEqual(['2026-12-25'])
})

test('an agent is checked once a day, each hour while a holiday is missing, and at once in another place', async () => {
  const tenant = await business()
  const path = await serve(tenant, 'Open.')
  await toldAt(fortnightBefore)
  expect(await hoursToNext(tenant)).toBe(1)
  await tenant.call('PATCH', path, { content: 'Closed at Christmas.' })
  await stand.deliver()
  await toldAt(fortnightBefore)
  expect(await hoursToNext(tenant)).toBe(24)
  expect(await sweptAt(fortnightBefore)).toMatchObject({ holidays_checked: 0 })
  await tenant.call('PATCH', `/v1/agents/${tenant.agentId}`, { holidays: 'IE' })
  expect(await sweptAt(fortnightBefore)).toMatchObject({ holidays_checked: 1 })
})

test('a sweep checks at most 20 agents, organizations in turn, and two sweeps check each once', async () => {
  const [many, one] = [await business(), await business()]
  const values = Array.from({ length: 22 }, () => ({
    id: newId(),
    name: 'A',
    organization_id: many.organizationId,
    holidays: 'GB',
  }))
  await stand.db.insertInto('agents').values(values).execute()
  const [first, second] = await Promise.all([sweptAt(fortnightBefore), sweptAt(fortnightBefore)])
  expect(first.holidays_checked! + second.holidays_checked!).toBeGreaterThanOrEqual(20)
  await receiver.run()
  expect(receiver.received.map(({ event }) => event.data.agent_id)).toContain(one.agentId)
  expect(await sweptAt(fortnightBefore)).toMatchObject({
    holidays_checked: 24 - first.holidays_checked! - second.holidays_checked!,
  })
})

test('a check that fails stops no other, and is repeated after an hour', async () => {
  const [broken, sound] = [await business(), await business()]
  await sql`update agents set time_zone = 'Nowhere/Land' where id = ${broken.agentId}`.execute(stand.db)
  expect(await sweptAt(fortnightBefore)).toMatchObject({ holidays_checked: 1 })
  await receiver.run()
  expect(receiver.received.map(({ event }) => event.data.agent_id)).toEqual([sound.agentId])
  expect(await hoursToNext(broken)).toBe(1)
})

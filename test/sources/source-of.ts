import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { sql } from 'kysely'
import { consumer } from '../../functions/crawler/consumer.ts'
import { crawlClient } from '../../functions/crawler/site/client.ts'
import { request } from '../../shared/outbound/request.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import type { Message } from '../../shared/work/message.ts'
import { configuredQueue } from '../../shared/work/sqs-queue.ts'
import type { Tenant, TestStand } from '../support/stand/stand.ts'
import { databaseAs, workMessage } from '../support/stand/worker.ts'
import { page, website } from './website.ts'

export const hours = 'We are open Monday to Saturday from 9 to 18, and closed on Sunday and on public holidays.'
export const prices = 'A night for a dog costs 35 euros, and for a cat 28 euros, with food and a walk in the evening.'
export const parking = 'Guests park free of charge behind the house. The gate closes at 22 in the evening, all week.'

export const inn = () => ({
  '/': page('Paws Inn', hours, '/prices', '/parking'),
  '/prices': page('Prices', prices, '/'),
  '/parking': page('Parking', parking, '/'),
})

/** Gives a source this many documents that search serves. */
export async function giveServed({ db }: TestStand, { organizationId, agentId, id }: WebsiteScope, count: number) {
  const perStatement = 500
  for (let from = 1; from <= count; from += perStatement)
    await sql`insert into documents (organization_id, id, agent_id, title, external_id, source_id, source_type, content, content_hash,
        managed_by, status, active_revision, chunk_count)
      select ${organizationId}, gen_random_uuid(), ${agentId}, 'T', 'https://paws-inn.example/' || n, ${id}, 'txt', 'About ' || n, '',
        'service', 'completed', 1, 2
      from generate_series(${from}::int, ${Math.min(count, from + perStatement - 1)}::int) n`.execute(db)
}
type WebsiteScope = Pick<Tenant, 'organizationId' | 'agentId'> & { id: string }

/** A tenant with a source of the website, and a crawler whose clock moves when it waits. Until the end of the file, it may crawl loopback. */
export async function sourceOf(stand: TestStand, url: string, more: object = {}, of?: Tenant) {
  process.env.ALLOW_LOOPBACK = 'true'
  const tenant = of ?? (await stand.tenant())
  const sources = `/v1/agents/${tenant.agentId}/sources`
  const { body } = await tenant.call('POST', sources, { url, ...more })
  const source = `${sources}/${body.id}`
  const sent: Message<'source'>[] = []
  const state = { now: 0, remaining: () => 300_000, isQueueDown: false, request }
  const queue = {
    send: (message: Message<'source'>) =>
      state.isQueueDown
        ? Promise.reject(new Unavailable('queue', new Error('down')))
        : Promise.resolve(void sent.push(message)),
    changeVisibility: () => Promise.resolve(),
  }
  const sleep = (milliseconds: number) => {
    state.now += milliseconds
    return Promise.resolve()
  }
  const newClient = () =>
    crawlClient({
      request: (...sent) => state.request(...sent),
      contact: 'test',
      isLoopbackAllowed: true,
      now: () => state.now,
      sleep,
    })
  const crawler = { db: databaseAs('cuecard_crawler'), queue, embeddingQueue: configuredQueue('embedding') }
  const message = workMessage({ organizationId: tenant.organizationId, id: body.id }, 'source')
  const deliver = () =>
    consumer({ ...crawler, client: newClient() })(
      { Records: [{ messageId: 'm', receiptHandle: 'r', body: message }] } as never,
      { getRemainingTimeInMillis: () => state.remaining() },
    )
  const get = async () => (await tenant.call('GET', source)).body
  const refresh = async () => {
    await tenant.call('POST', `${source}/refresh`)
    await deliver()
    return await get()
  }
  const documents = async () => {
    const { body } = await tenant.call('GET', `${tenant.knowledgeBase}?limit=100`)
    return Object.fromEntries(
      body.data.map((each: { external_id: string }) => [each.external_id?.replace(url, ''), each]),
    )
  }
  const pages = async () => {
    const { body } = await tenant.call('GET', `${source}/pages?limit=100`)
    return Object.fromEntries(body.data.map((each: { address: string }) => [each.address.replace(url, ''), each]))
  }
  /** The ids of the sources that have a message in the stand's queue. */
  const queued = async () => {
    const { Messages = [] } = await stand.sqs.send(
      new ReceiveMessageCommand({ QueueUrl: stand.emulator.queues.crawler.queueUrl, MaxNumberOfMessages: 10 }),
    )
    return Messages.map(({ Body }) => JSON.parse(Body!).id)
  }
  // Takes the message that the creation has sent.
  await queued()
  const own = { id: body.id as string, source, deliver, get, refresh, documents, pages, sent, state, queued }
  return { ...tenant, ...own }
}

/** A website, and a tenant with a source of it after its first crawl. */
export async function crawled(stand: TestStand, pages: Parameters<typeof website>[0] = inn()) {
  const site = await website(pages)
  const source = await sourceOf(stand, site.url)
  await source.deliver()
  return { site, ...source }
}

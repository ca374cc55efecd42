import { crawlWebsite } from '../../../functions/crawler/crawl.ts'
import type { AgentId, WebsiteId } from '../../../shared/ids.ts'
import { createWebsite } from '../../../shared/websites/websites.ts'
import { instantClient } from '../../sources/site/instant-client.ts'
import { requestTo, Site } from '../../sources/sites/site.ts'
import { countStatements, roundTripsOf } from '../../support/database/statement-count.ts'
import { ours, type Part } from '../part.ts'
import { openCuecard } from '../stage/cuecard.ts'

const content = '# Topic 1: guests park free of charge behind the house. The gate code is 4711.'

export const roundTrips: Part = {
  name: 'round-trips',
  title: 'Round trips between Neon’s proxy and the database',
  async *run({ server }) {
    const cuecard = await openCuecard(server)
    cuecard.prepare((topic) => Float32Array.from({ length: 1536 }, (_, i) => (i === topic % 1536 ? 1 : 0)))
    const { statementsOf, stop } = countStatements()
    const agent = await cuecard.agent(await cuecard.organization())
    const ask = (method: string, path: string, status: number, body?: object) =>
      cuecard.documents(cuecard.event(method, `${agent.path}${path}`, agent.key, body), status)
    const searching = () => cuecard.search(cuecard.event('POST', `${agent.path}/search`, agent.key, { query: content }))
    const create = async () => JSON.parse(await ask('POST', '', 201, { title: 'Parking', content })).id as string
    const site = new Site({})
    site.url = 'http://127.0.0.1:1'
    const links = Array.from({ length: 9 }, (_, i) => `<li><a href="/${i}">Room ${i}</a></li>`).join('')
    for (const path of ['', ...Array(9).keys()])
      site.set(`/${path}`, `<main><h1>Room ${path}</h1><p>${content} Room ${path} is free.</p><ul>${links}</ul></main>`)
    const crawler = { ...cuecard.crawler, client: instantClient(requestTo(site)) }
    const asked = { url: site.url, kind: 'site' as const, include: [], exclude: [], refresh_hours: 24 }
    const scope = { organizationId: agent.id, agentId: agent.agentId as AgentId }
    const { id } = await createWebsite({ db: cuecard.owner, queue: undefined }, scope, asked, {})
    const source = { organizationId: agent.id, kind: 'source', id: id as WebsiteId } as const
    // The key is known from here on.
    const documentId = await create()
    await cuecard.work()
    await searching()
    const works: [string, () => Promise<unknown>][] = [
      ['POST a document', create],
      ['Claim and complete it', cuecard.work],
      ['PATCH its title', () => ask('PATCH', `/${documentId}`, 200, { title: 'Cars' })],
      ['PATCH its content', () => ask('PATCH', `/${documentId}`, 200, { content: `${content} Or 4712.` })],
      ['GET a document', () => ask('GET', `/${documentId}`, 200)],
      ['GET a list', () => ask('GET', '', 200)],
      ['Search, a question asked before', searching],
      ['Crawl a website of ten pages', () => crawlWebsite(crawler, source, () => 300_000)],
    ]
    for (const [work, run] of works) {
      const requests = await statementsOf(run)
      const statements = requests.reduce((sum, count) => sum + count, 0)
      yield {
        work: `${work}: ${statements} statements in ${requests.length} requests`,
        unit: 'trips',
        better: 'less',
        samples: { [ours]: [roundTripsOf(requests)] },
      }
    }
    stop()
    await cuecard.close()
  },
}

import { neonConfig } from '@neondatabase/serverless'
import { ours, type Part } from '../part.ts'
import { openCuecard } from '../stage/cuecard.ts'

const content = '# Topic 1: guests park free of charge behind the house. The gate code is 4711.'

/** A statement is two round trips of Neon's proxy, a batch of n is 2 n + 2: its begin and its commit are awaited, too. */
const roundTripsOf = (batches: number[]) =>
  batches.reduce((sum, statements) => sum + (statements === 0 ? 2 : 2 * statements + 2), 0)

export const roundTrips: Part = {
  name: 'round-trips',
  title: 'Round trips between Neon’s proxy and the database',
  async *run({ server }) {
    const cuecard = await openCuecard(server)
    cuecard.prepare((topic) => Float32Array.from({ length: 1536 }, (_, i) => (i === topic % 1536 ? 1 : 0)))
    let batches: number[] = []
    const { fetchFunction } = neonConfig
    neonConfig.fetchFunction = (url: string, init: RequestInit) => {
      const { queries } = JSON.parse(String(init.body)) as { queries?: object[] }
      if (!String(init.body).includes('count_requests')) batches.push(queries?.length ?? 0)
      return fetch(url, init)
    }
    const agent = await cuecard.agent(await cuecard.organization())
    const ask = (method: string, path: string, status: number, body?: object) =>
      cuecard.documents(cuecard.event(method, `${agent.path}${path}`, agent.key, body), status)
    const searching = () => cuecard.search(cuecard.event('POST', `${agent.path}/search`, agent.key, { query: content }))
    const create = async () => JSON.parse(await ask('POST', '', 201, { title: 'Parking', content })).id as string
    // The key is known from here on.
    const id = await create()
    await cuecard.work()
    await searching()
    const works: [string, () => Promise<unknown>][] = [
      ['POST a document', create],
      ['Claim and complete it', cuecard.work],
      ['PATCH its title', () => ask('PATCH', `/${id}`, 200, { title: 'Cars' })],
      ['PATCH its content', () => ask('PATCH', `/${id}`, 200, { content: `${content} Or 4712.` })],
      ['GET a document', () => ask('GET', `/${id}`, 200)],
      ['GET a list', () => ask('GET', '', 200)],
      ['Search, a question asked before', searching],
    ]
    for (const [work, run] of works) {
      batches = []
      await run()
      const statements = batches.reduce((sum, count) => sum + Math.max(1, count), 0)
      yield {
        work: `${work}: ${statements} statements in ${batches.length} requests`,
        unit: 'trips',
        better: 'less',
        samples: { [ours]: [roundTripsOf(batches)] },
      }
    }
    neonConfig.fetchFunction = fetchFunction
    await cuecard.close()
  },
}

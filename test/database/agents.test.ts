import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/tenants.ts'
import { newId } from '../../shared/ids.ts'
import { useStand } from '../support/stand.ts'
import { buffersOf, nodesOf, plansOf, useStatementPlans } from '../support/statement-plans.ts'

const stand = useStand()
const { batchesOf } = useStatementPlans()

test('the 10,000 documents of an agent are counted from an index alone, and only those of agents that are shown', async () => {
  const tenant = await stand.tenant()
  await createAgent(stand.db, tenant.organizationId as never, 'Next')
  const { id: crowded } = await createAgent(stand.db, tenant.organizationId as never, 'Crowded')
  await sql`alter table documents disable trigger user`.execute(stand.db)
  for (const agentId of [crowded, tenant.agentId])
    await sql`insert into documents (organization_id, id, agent_id, title, status, managed_by, active_revision)
      select ${tenant.organizationId}, gen_random_uuid(), ${agentId}, repeat('t', 500),
        case when i % 4 = 0 then 'completed' else 'pending' end, 'client', case when i % 4 = 0 then 1 end
      from generate_series(1, 10000) i`.execute(stand.db)
  await sql`alter table documents enable trigger user`.execute(stand.db)
  await stand.pool.query('vacuum (analyze) documents')
  const documents = { pending: 7500, processing: 0, completed: 2500, error: 0 }
  for (const url of [`/v1/agents/${crowded}`, '/v1/agents?limit=1']) {
    // So that the key is known.
    expect((await tenant.call('GET', `/v1/agents/${newId()}`)).status).toBe(404)
    const [batch, ...others] = await batchesOf(async () => {
      const { body } = await tenant.call('GET', url)
      expect(body.data?.[0] ?? body).toMatchObject({ id: crowded, documents })
    })
    expect(others).toEqual([])
    const [plan] = await plansOf(batch!, 'analyze, buffers,')
    const read = nodesOf(plan!).filter((node) => node['Relation Name'] === 'documents')
    expect(read).toMatchObject([{ 'Node Type': 'Index Only Scan', 'Index Name': 'documents_by_status' }])
    // The page of one agent looks at the next, to know that there is one.
    expect(read[0]!['Actual Loops']).toBe(url.includes('?') ? 2 : 1)
    expect(read[0]!['Heap Fetches']).toBeLessThan(100)
    expect(buffersOf(plan!)).toBeLessThan(url.includes('?') ? 120 : 60)
  }
})

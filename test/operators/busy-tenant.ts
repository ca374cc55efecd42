import { type RawBuilder, sql } from 'kysely'
import { addPerson } from '../../infra/admin/people.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { invite } from '../../shared/organizations/people.ts'
import { connected } from '../connect/connected.ts'
import type { Tenant, TestStand } from '../support/stand/stand.ts'

/** Makes everything that a customer may have. */
export async function busyTenant(stand: TestStand): Promise<Tenant> {
  const run = <Row>(statement: RawBuilder<Row>) => statement.execute(stand.db)
  const tenant = await stand.tenant()
  const { organizationId: organization, agentId: agent, call, knowledgeBase } = tenant
  for (const title of ['Hours', 'Prices', 'Parking'])
    await call(
      'POST',
      knowledgeBase,
      { title, content: `About ${title}. A visit costs $5. `.repeat(100) },
      { 'idempotency-key': title },
    )
  const { body: closed } = await call('POST', knowledgeBase, { title: 'Closed', content: 'Deleted, but with a pack.' })
  await stand.deliver()
  await call('DELETE', `${knowledgeBase}/${closed.id}`)
  const { body: listed } = await call('GET', knowledgeBase)
  await call('PATCH', `${knowledgeBase}/${listed.data[0].id}`, { content: 'What it said before is kept.' })
  await call('POST', knowledgeBase, { title: 'Waiting', content: 'It waits.' })
  const trashed = await call('POST', knowledgeBase, { title: 'In the trash', content: 'It was deleted.' })
  await call('DELETE', `${trashed.headers.location}?trash=true`)
  const golden = { question: 'Do you sell cars?', expects: { nothing: true } }
  await call('POST', `/v1/agents/${agent}/golden-questions`, golden)
  const source = await call('POST', `/v1/agents/${agent}/sources`, { url: 'https://paws-inn.example/' })
  await run(sql`insert into source_pages (organization_id, agent_id, source_id, address, crawl)
    values (${organization}, ${agent}, ${source.body.id}, 'https://paws-inn.example/', 1)`)
  await run(sql`insert into query_vectors (organization_id, key, embedding)
    select organization_id, sha256('question'), embedding from vectors
    where organization_id = ${organization} limit 1`)
  await run(sql`insert into calls (organization_id, agent_id, id) values (${organization}, ${agent}, ${newId()})`)
  const own = organization as OrganizationId
  const { id } = await addPerson(stand.db, { organization: own, mail: `${own}@example.com`, role: 'owner' })
  await connected(stand.db, { organizationId: own, agentId: agent })
  await invite(stand.db, own, { mail: `new-${own}@example.com`, role: 'viewer', by: id })
  await run(sql`insert into sessions (organization_id, api_key_id, token_hash, expires_at)
    select organization_id, id, sha256(id::text::bytea), now() from api_keys where organization_id = ${organization}`)
  await run(sql`update organizations set log_questions = true where id = ${organization}`)
  await run(sql`insert into question_log (organization_id, agent_id, id, question, mode, is_degraded, hits, answerable, milliseconds)
    values (${organization}, ${agent}, ${newId()}, 'Where?', 'hybrid', false, '[]', 0, 0)`)
  await run(sql`insert into signing_secrets (organization_id, agent_id, platform, secret)
    values (${organization}, ${agent}, 'retell', 'key_0123456789abcdef')`)
  const hook = await call('POST', '/v1/webhooks', { url: 'https://shop.example/', events: ['document.failed'] })
  await call('POST', `${hook.headers.location}/test`)
  return tenant
}

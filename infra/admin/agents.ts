import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import type { Status } from '../../shared/database/tables.ts'
import type { AgentId } from '../../shared/ids.ts'
import { CommandError } from './command-error.ts'
import { anyOrganization } from './lists.ts'

/** @throws CommandError when the agent does not exist */
export async function showAgent(db: Database, id: AgentId) {
  const { agents, statuses, secrets } = await db.batch({
    agents: db
      .selectFrom('agents')
      .select(['organization_id', 'id', 'name', 'knowledge_base_enabled', 'ready_document_count', 'created_at'])
      .where('organization_id', '=', anyOrganization)
      .where('id', '=', id),
    statuses: db
      .selectFrom('documents')
      .select((eb) => ['status', eb.cast<number>(eb.fn.countAll(), 'integer').as('count')])
      .where('organization_id', '=', anyOrganization)
      .where('agent_id', '=', id)
      .groupBy('status'),
    secrets: db
      .selectFrom('signing_secrets')
      .select('created_at')
      .where('organization_id', '=', anyOrganization)
      .where('agent_id', '=', id)
      .where('platform', '=', 'retell'),
  })
  const [agent] = agents
  if (!agent) agentNotFound(id)
  const { ready_document_count: ready, knowledge_base_enabled, created_at, ...named } = agent
  const documents: Record<Status, number> = { pending: 0, processing: 0, completed: 0, error: 0 }
  for (const { status, count } of statuses) documents[status] = count
  return {
    ...named,
    knowledge_base_enabled,
    reason: reasonOf(ready, documents),
    documents: { ready, ...documents },
    retell_secret_since: secrets[0]?.created_at ?? null,
    created_at,
  }
}

/** A document is ready while search serves a revision of it, whatever becomes of the next one. */
function reasonOf(ready: number, { pending, processing, completed, error }: Record<Status, number>): string {
  if (ready > 0) return `${ready} ready ${ready === 1 ? 'document' : 'documents'}`
  if (pending + processing + completed + error === 0) return 'no documents'
  return `no ready documents: ${pending} pending, ${processing} processing, ${error} in error`
}

/** Sets or replaces the secret. Takes effect everywhere within 15 seconds. @throws CommandError when the agent does not exist */
export async function setRetellSecret(db: Database, id: AgentId, secret: string) {
  const set = await db
    .insertInto('signing_secrets')
    .columns(['organization_id', 'agent_id', 'platform', 'secret'])
    .expression((eb) =>
      eb
        .selectFrom('agents')
        .select(['organization_id', 'id', eb.val('retell').as('platform'), eb.val(Buffer.from(secret)).as('secret')])
        .where('organization_id', '=', anyOrganization)
        .where('id', '=', id),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'agent_id', 'platform'])
        // Not excluded.secret: an operator may write a secret and read none.
        .doUpdateSet({ secret: Buffer.from(secret), created_at: sql<Date>`now()` }),
    )
    .returning('organization_id')
    .executeTakeFirst()
  if (!set) agentNotFound(id)
  return { id, organization_id: set.organization_id, retell_signature: 'required' }
}

/** Takes effect everywhere within 15 seconds. @throws CommandError when the agent does not exist */
export async function removeRetellSecret(db: Database, id: AgentId) {
  const { agents } = await db.batch({
    agents: db
      .selectFrom('agents')
      .select('organization_id')
      .where('organization_id', '=', anyOrganization)
      .where('id', '=', id),
    removed: db
      .deleteFrom('signing_secrets')
      .where('organization_id', '=', anyOrganization)
      .where('agent_id', '=', id)
      .where('platform', '=', 'retell'),
  })
  const [agent] = agents
  if (!agent) agentNotFound(id)
  return { id, organization_id: agent.organization_id, retell_signature: 'not required' }
}

function agentNotFound(id: AgentId): never {
  throw new CommandError(`no such agent: ${id}`)
}

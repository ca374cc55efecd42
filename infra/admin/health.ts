import type { Command } from 'commander'
import { sql } from 'kysely'
import type { Database } from '../../shared/database/database.ts'
import { ownFaults } from '../../shared/documents/contract/failures.ts'
import { isPostponed, isWaiting } from '../../shared/documents/processing/guards.ts'
import { tokensUsedUpPattern } from '../../shared/limits/tokens.ts'
import { maxDocumentsPerAgent } from '../../shared/organizations/usage.ts'
import { CommandError } from '../command-line/command-error.ts'
import { subcommand } from '../command-line/options.ts'
import { onOneLine } from '../command-line/sentence.ts'
import { findModels } from '../embedding-models.ts'
import { messageOf } from '../error-message.ts'
import { action, audited, type Context } from './action.ts'
import { byStatus, type StatusCount } from './lists.ts'

const healthDescription =
  'show documents by status, overdue work, the embedding provider’s last error, dead letters, agents at their document limit, and open connections'

export function addHealthCommand(program: Command): void {
  subcommand(program, 'health', healthDescription).action(
    action(async (context) => {
      const documents = await checkDocuments(context.db)
      const host = context.host ?? null
      if (host === 'pooled')
        context.program.warn(
          'warning: DATABASE_URL names the pooled host, which is for the Lambdas: use the direct one',
        )
      return { target: context.target, host, ...documents, dead_letters: await countDeadLetters(context) }
    }),
  )
}

export function addQueueCommands(program: Command): void {
  const command = subcommand(program, 'queue', 'manage the queue of documents to process')
  subcommand(command, 'redrive', 'move the dead letters back to the queue; first fix why they failed').action(
    audited(async ({ queues }) => {
      const { redrive } = await queues()
      if (!redrive) throw new CommandError('QUEUE_URL and DEAD_LETTER_QUEUE_URL must be set')
      return { moved: await redrive() }
    }),
  )
}

async function countDeadLetters({ queues, program }: Context): Promise<number | null> {
  const { countDeadLetters } = await queues()
  try {
    if (!countDeadLetters) throw new CommandError('DEAD_LETTER_QUEUE_URL is not set')
    return await countDeadLetters()
  } catch (error) {
    program.warn(`warning: cannot count dead letters: ${onOneLine(messageOf(error))}`)
    return null
  }
}

export async function checkDocuments(db: Database) {
  const { models, changing } = await findModels(db)
  const { statuses, work, faults, agents, connections } = await db.batch({
    statuses: sql<StatusCount>`select status, count(*)::int as count from documents where deleted_at is null group by status`,
    work: sql<Work>`
      select greatest(0, extract(epoch from now() - min(d.pending_since)))::int as oldest_pending_seconds,
        count(*) filter (where d.lease_expires_at < now())::int as expired_leases,
        count(*) filter (where ${isWaiting})::int as waiting_for_another_attempt,
        count(*) filter (where ${isPostponed})::int as waiting_for_tokens_of_the_next_day
      from documents d where ${isUnfinished}`,
    faults: sql<{ waiting_reason: string }>`
      select d.waiting_reason from documents d
      where ${isUnfinished} and d.waiting_reason <> all(${Object.values(ownFaults)})
        and d.waiting_reason not like ${tokensUsedUpPattern}
      order by d.updated_at desc limit 1`,
    agents: sql<{ organization_id: string; id: string; name: string; document_count: number }>`
      select a.organization_id, a.id, a.name, count(*)::int as document_count
      from agents a join documents d on (d.organization_id, d.agent_id) = (a.organization_id, a.id) and d.deleted_at is null
      group by a.organization_id, a.id having count(*) >= ${maxDocumentsPerAgent} order by a.organization_id, a.id`,
    connections: openConnections,
  })
  return {
    documents: byStatus(statuses),
    ...work[0]!,
    provider_fault: faults[0]?.waiting_reason ?? null,
    connections: connections[0]!,
    embedding_models: models,
    agents_that_change_model: changing,
    agents_at_document_limit: agents,
  }
}

interface Work {
  oldest_pending_seconds: number | null
  expired_leases: number
  waiting_for_another_attempt: number
  waiting_for_tokens_of_the_next_day: number
}

const isUnfinished = sql`d.managed_by = 'service' and d.status in ('pending', 'processing')`

/** Counts the connections of all logins, those through a pooler too. */
const openConnections = sql<{ open: number; max: number }>`
  select count(*)::int as open, current_setting('max_connections')::int as max
  from pg_stat_activity where usesysid is not null`

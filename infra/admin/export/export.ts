import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'
import type { OrganizationId } from '../../../shared/ids.ts'
import { CommandError, organizationNotFound } from '../command-error.ts'
import {
  agentsAfter,
  callsAfter,
  chunksAfter,
  documentsAfter,
  keysAfter,
  questionsAfter,
  signingSecretsAfter,
} from './pages.ts'

export type Line = { type: string } & Record<string, unknown>

const formatVersion = 1

interface Options {
  /** Embeddings are most of the bytes. */
  withEmbeddings: boolean
  signal: AbortSignal
}

/**
 * Yields all that an organization has, one page in memory at a time; the last line has type `end`.
 * @throws CommandError when the organization does not exist, or the export was interrupted
 */
export async function* exportOrganization(
  db: Database,
  id: OrganizationId,
  { withEmbeddings, signal }: Options,
): AsyncGenerator<Line> {
  const scoped = db.forOrganization(id)
  const organization = await scoped
    .selectFrom('organizations')
    .select(['id', 'name', 'auto_delete_done_calls', 'log_questions', 'created_at', sql<Date>`now()`.as('exported_at')])
    .where('id', '=', id)
    .executeTakeFirst()
  const { exported_at, ...rest } = organization ?? organizationNotFound(id)
  yield { type: 'export', format: formatVersion, organization_id: id, exported_at }
  yield { type: 'organization', ...rest }

  const counts: Record<string, number> = {}
  yield* lines('agent', agentsAfter)
  yield* lines('api_key', keysAfter)
  yield* lines('signing_secret', signingSecretsAfter)
  yield* lines('document', documentsAfter)
  yield* lines('chunk', chunksAfter(withEmbeddings))
  yield* lines('call', callsAfter)
  yield* lines('question', questionsAfter)
  yield { type: 'end', counts }

  async function* lines<Key, Row extends Key & object>(
    type: string,
    pageAfter: (db: Database, id: OrganizationId, last: Key | undefined) => Promise<Row[]>,
  ): AsyncGenerator<Line> {
    counts[type] = 0
    let page = await pageAfter(scoped, id, undefined)
    while (page.length > 0) {
      for (const row of page) yield { type, ...row }
      counts[type] += page.length
      if (signal.aborted) throw new CommandError('interrupted: what was printed is not all')
      page = await pageAfter(scoped, id, page.at(-1))
    }
  }
}

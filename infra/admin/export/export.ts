import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { sql } from 'kysely'
import type { Database } from '../../../shared/database/database.ts'
import { type OrganizationId, organizationId } from '../../../shared/ids.ts'
import { CommandError, organizationNotFound } from '../../command-line/command-error.ts'
import { parser, subcommand } from '../../command-line/options.ts'
import { audited } from '../action.ts'
import { pages } from './pages.ts'

export type Line = { type: string } & Record<string, unknown>

export function addOrganizationExport(organization: Command): void {
  subcommand(organization, 'export', 'print all that an organization has, as JSON lines')
    .argument('<id>', 'id of the organization', parser(organizationId))
    .option('--embeddings', 'with the embeddings of chunks, as base64')
    .action(
      audited(async ({ db, program }, id: OrganizationId, { embeddings }: { embeddings?: true }) => {
        const { stdout, signal } = program.terminal
        const lines = exportOrganization(db, id, { withEmbeddings: embeddings ?? false, signal })
        await pipeline(Readable.from(toText(lines), { highWaterMark: 1 }), stdout, { end: false })
        return undefined
      }),
    )
}

async function* toText(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`
}

const formatVersion = 1

/** Yields all that an organization has, with one page in memory at a time. A complete export ends with a line of type `end`. */
async function* exportOrganization(
  db: Database,
  id: OrganizationId,
  { withEmbeddings, signal }: { withEmbeddings: boolean; signal: AbortSignal },
): AsyncGenerator<Line> {
  const scoped = db.forOrganization(id)
  const organization = await scoped
    .selectFrom('organizations')
    .select([
      'id',
      'name',
      'auto_delete_done_calls',
      'log_questions',
      'keep_revisions',
      'created_at',
      sql<Date>`now()`.as('exported_at'),
    ])
    .where('id', '=', id)
    .executeTakeFirst()
  const { exported_at, ...rest } = organization ?? organizationNotFound(id)
  yield { type: 'export', format: formatVersion, organization_id: id, exported_at }
  yield { type: 'organization', ...rest }

  const counts: Record<string, number> = {}
  for (const [type, pageAfter] of Object.entries(pages(withEmbeddings))) {
    counts[type] = 0
    let page = await pageAfter(scoped, id)
    while (page.length > 0) {
      for (const row of page) yield { type, ...row }
      counts[type] += page.length
      if (signal.aborted) throw new CommandError('interrupted: the printed export is incomplete')
      page = await pageAfter(scoped, id, page.at(-1))
    }
  }
  yield { type: 'end', counts }
}

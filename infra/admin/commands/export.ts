import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command } from 'commander'
import { type OrganizationId, organizationId } from '../../../shared/ids.ts'
import { exportOrganization } from '../export/export.ts'
import { audited } from './action.ts'
import { parser } from './options.ts'

export function organizationExportCommand() {
  return new Command('export')
    .description('print all that an organization has, as JSON lines')
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

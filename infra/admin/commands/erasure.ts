import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import type * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import { agentId, organizationId } from '../../../shared/ids.ts'
import type { Subject } from '../erasure/belongings.ts'
import { confirmAgent, confirmOrganization } from '../erasure/confirm.ts'
import { erase } from '../erasure/erase.ts'
import { listErasures } from '../erasure/erasures.ts'
import { addErasures, findToReplay, parseErasures, replay } from '../erasure/replay.ts'
import type { Program } from '../terminal.ts'
import { action, audited } from './action.ts'
import { parser } from './options.ts'

export const organizationDeleteCommand = () => deleteCommand('an organization', organizationId, confirmOrganization)
export const agentDeleteCommand = () => deleteCommand('an agent', agentId, confirmAgent)

function deleteCommand<Id>(
  kind: string,
  id: v.GenericSchema<string, Id>,
  confirm: (db: Database, id: Id, name: string) => Promise<Subject>,
) {
  return new Command('delete')
    .description(`erase ${kind} and all that it has, for good; continues what was interrupted`)
    .argument('<id>', `id of ${kind.replace(/^an /, 'the ')}`, parser(id))
    .requiredOption('--yes-erase-name <name>', 'its name, to confirm that it is the one')
    .action(
      audited(async ({ db, program }, id: Id, { yesEraseName }: { yesEraseName: string }) =>
        erase(db, await confirm(db, id, yesEraseName), progressTo(program)),
      ),
    )
}

export function erasuresCommand() {
  const command = new Command('erasures').description('what was erased, and must be erased again after a restore')
  command
    .command('list')
    .description('list the erasures, for a backup or a replay: ids, times and counts')
    .action(action(async ({ db }) => ({ data: await listErasures(db) })))
  command
    .command('replay')
    .description('erase again what a restore has brought back, by the list in the database and one on standard input')
    .option('--yes', 'do it; without it, they are listed')
    .action(
      audited(async ({ db, program }, { yes }: { yes?: true }) => {
        await addErasures(db, await readErasures(program))
        const erasures = await findToReplay(db)
        if (yes) return { data: await replay(db, erasures, progressTo(program)) }
        if (erasures.length > 0)
          program.warn('Nothing was erased yet. These are there again: pass --yes to erase them.')
        return { data: erasures }
      }),
    )
  return command
}

async function readErasures({ terminal: { stdin } }: Program) {
  const typed = stdin.isTTY ? '' : await text(stdin)
  return typed.trim() === '' ? [] : parseErasures(typed)
}

function progressTo(program: Program) {
  return { signal: program.terminal.signal, onProgress: (line: string) => program.warn(line) }
}

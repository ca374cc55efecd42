import { text } from 'node:stream/consumers'
import { Command, Option } from 'commander'
import { type AgentId, agentId, type OrganizationId, organizationId } from '../../../shared/ids.ts'
import { confirmAgent, confirmOrganization } from '../erasure/confirm.ts'
import { erase } from '../erasure/erase.ts'
import { listErasures } from '../erasure/erasures.ts'
import { addErasures, findToReplay, parseErasures, replay } from '../erasure/replay.ts'
import type { Program } from '../terminal.ts'
import { action, audited } from './action.ts'
import { parser } from './options.ts'

interface Confirmed {
  yesEraseName: string
}

const confirmation = () =>
  new Option('--yes-erase-name <name>', 'its name, to confirm that it is the one').makeOptionMandatory()

export function organizationDeleteCommand() {
  return new Command('delete')
    .description('erase an organization and all that it has, for good; continues what was interrupted')
    .argument('<id>', 'id of the organization', parser(organizationId))
    .addOption(confirmation())
    .action(
      audited(async ({ db, program }, id: OrganizationId, { yesEraseName }: Confirmed) =>
        erase(db, await confirmOrganization(db, id, yesEraseName), progressTo(program)),
      ),
    )
}

export function agentDeleteCommand() {
  return new Command('delete')
    .description('erase an agent and all that it has, for good; continues what was interrupted')
    .argument('<id>', 'id of the agent', parser(agentId))
    .addOption(confirmation())
    .action(
      audited(async ({ db, program }, id: AgentId, { yesEraseName }: Confirmed) =>
        erase(db, await confirmAgent(db, id, yesEraseName), progressTo(program)),
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

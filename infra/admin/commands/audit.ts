import { Command } from 'commander'
import { listActions } from '../audit.ts'
import { toPage } from '../lists.ts'
import { action } from './action.ts'
import { type ListOptions, optional } from './options.ts'

export function auditCommand() {
  const command = new Command('audit').description('read what operators have done')
  command
    .command('list')
    .description('list commands that changed something or handed out a customer’s data, latest first')
    .addOption(optional.organization())
    .addOption(optional.limit())
    .action(
      action(
        async ({ db }, { organization, limit }: ListOptions) =>
          toPage(await listActions(db, { organizationId: organization, limit }), limit),
        ['started_at', 'login', 'person', 'command', 'arguments', 'outcome', 'detail'],
      ),
    )
  return command
}

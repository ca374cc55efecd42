import { Command } from 'commander'
import { listCalls, purgeCall, restoreCall } from '../calls.ts'
import { action, audited } from './action.ts'
import { id, type ListOptions, optional } from './options.ts'

export function callCommand() {
  const command = new Command('call').description('manage calls and their trash')
  command
    .command('list')
    .description('list calls, latest first')
    .option('--trash', 'list the calls in the trash instead', false)
    .addOption(optional.organization())
    .addOption(optional.limit())
    .action(
      action(({ db }, { trash, organization, limit }: ListOptions & { trash: boolean }) =>
        listCalls(db, { trash, organizationId: organization, limit }),
      ),
    )
  command
    .command('restore')
    .description('restore a call from the trash')
    .argument('<id>', 'id of the call', id)
    .action(audited(({ db }, id: string) => restoreCall(db, id)))
  command
    .command('purge')
    .description('permanently delete a call that is in the trash')
    .argument('<id>', 'id of the call', id)
    .action(audited(({ db }, id: string) => purgeCall(db, id)))
  return command
}

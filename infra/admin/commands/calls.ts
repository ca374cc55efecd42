import { Command } from 'commander'
import type { OrganizationId } from '../../../shared/ids.ts'
import { listCalls, purgeCall, restoreCall } from '../calls.ts'
import { answers, id, optional } from '../command.ts'

export function callCommand() {
  const command = new Command('call').description('calls and their trash')
  command
    .command('list')
    .description('list calls, latest first')
    .option('--trash', 'those in the trash, in place of those that are not', false)
    .addOption(optional.organization())
    .addOption(optional.limit())
    .action(
      answers(({ db }, { trash, organization, limit }: ListOptions) =>
        listCalls(db, { trash, organizationId: organization, limit }),
      ),
    )
  command
    .command('restore')
    .description('take a call out of the trash')
    .argument('<id>', 'the call', id)
    .action(answers(({ db }, id: string) => restoreCall(db, id)))
  command
    .command('purge')
    .description('delete a call of the trash for good')
    .argument('<id>', 'the call', id)
    .action(answers(({ db }, id: string) => purgeCall(db, id)))
  return command
}

interface ListOptions {
  trash: boolean
  organization?: OrganizationId
  limit: number
}

import type { Command } from 'commander'
import type { Database } from '../../shared/database/database.ts'
import { type ListOptions, optional, subcommand } from '../command-line/options.ts'
import { action } from './action.ts'
import { toPage } from './lists.ts'

export function addAuditCommands(program: Command): void {
  const command = subcommand(program, 'audit', 'read what operators have done')
  subcommand(command, 'list', 'list commands that changed something or handed out a customer’s data, latest first')
    .addOption(optional.organization())
    .addOption(optional.limit())
    .action(action(({ db }, options: ListOptions) => listActions(db, options), shown))
}

const shown = ['started_at', 'login', 'person', 'command', 'arguments', 'outcome', 'detail']

async function listActions(db: Database, { organization, limit }: ListOptions) {
  const query = db
    .selectFrom('operator_actions')
    .select(['started_at', 'login', 'person', 'command', 'arguments', 'organization_id', 'outcome', 'detail'])
    .select(['ended_at', 'id'])
    .$if(organization !== undefined, (query) => query.where('organization_id', '=', organization!))
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
  return toPage(await query.execute(), limit)
}

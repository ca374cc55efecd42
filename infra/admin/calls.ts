import type { Command } from 'commander'
import type { Selectable } from 'kysely'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { Tables } from '../../shared/database/tables.ts'
import * as calls from '../../shared/organizations/calls.ts'
import { CommandError } from '../command-line/command-error.ts'
import { id, type ListOptions, optional, subcommand } from '../command-line/options.ts'
import { action, audited } from './action.ts'
import { anyOrganization, rowsOf, toPage } from './lists.ts'

export function addCallCommands(program: Command): void {
  const command = subcommand(program, 'call', 'manage calls and their trash')
  subcommand(command, 'list', 'list calls, latest first')
    .option('--trash', 'list the calls in the trash instead', false)
    .addOption(optional.organization())
    .addOption(optional.limit())
    .action(action(({ db }, options: CallsQuery) => listCalls(db, options)))
  subcommand(command, 'restore', 'restore a call from the trash')
    .argument('<id>', 'id of the call', id)
    .action(audited(({ db }, id: string) => restoreCall(db, id)))
  subcommand(command, 'purge', 'permanently delete a call that is in the trash')
    .argument('<id>', 'id of the call', id)
    .action(audited(({ db }, id: string) => purgeCall(db, id)))
}

type CallsQuery = ListOptions & { trash: boolean }
type Call = Selectable<Tables['calls']>

async function listCalls(db: Database, { trash, organization, limit }: CallsQuery) {
  let query = db
    .selectFrom('calls')
    .select(calls.callColumns)
    .where('deleted_at', trash ? 'is not' : 'is', null)
    .orderBy((eb) => eb.fn.coalesce('deleted_at', 'created_at'), 'desc')
    .orderBy('id')
    .limit(limit + 1)
  if (!organization) return toPage(await query.execute(), limit)
  query = query.where('organization_id', '=', organization)
  return toPage(await rowsOf(db, organization, query), limit)
}

export function restoreCall(db: Database, id: string): Promise<Call> {
  return changeInTrash(db, id, calls.restoreCall(db, anyOrganization, id))
}

export function purgeCall(db: Database, id: string): Promise<Call> {
  return changeInTrash(db, id, calls.purgeCall(db, anyOrganization, id))
}

async function changeInTrash(db: Database, id: string, change: Statement<Call>): Promise<Call> {
  const found = db.selectFrom('calls').select('id').where('organization_id', '=', anyOrganization).where('id', '=', id)
  const results = await db.batch({ found, changed: change })
  const [changed] = results.changed
  if (changed) return changed
  throw new CommandError(results.found.length === 0 ? `no such call: ${id}` : `call ${id} is not in the trash`)
}

import type { Command } from 'commander'
import type * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import type { Subject } from '../../shared/erasure/belongings.ts'
import { erase, Interrupted, listErasures } from '../../shared/erasure/erase.ts'
import { type AgentId, agentId, type OrganizationId, organizationId } from '../../shared/ids.ts'
import { CommandError, organizationNotFound } from '../command-line/command-error.ts'
import { parser, subcommand } from '../command-line/options.ts'
import type { Program } from '../command-line/terminal.ts'
import { action, audited } from './action.ts'
import { agentById, agentNotFound } from './agents.ts'

export const addOrganizationDelete = (organization: Command) =>
  addDelete(organization, 'an organization', organizationId, confirmOrganization)
export const addAgentDelete = (agent: Command) => addDelete(agent, 'an agent', agentId, confirmAgent)

function addDelete<Id>(
  parent: Command,
  kind: string,
  id: v.GenericSchema<string, Id>,
  confirm: (db: Database, id: Id, name: string) => Promise<Subject>,
) {
  subcommand(parent, 'delete', `permanently erase ${kind} and all that it has; continues an interrupted erasure`)
    .argument('<id>', `id of ${kind.replace(/^an /, 'the ')}`, parser(id))
    .requiredOption('--yes-erase-name <name>', 'its name, to confirm that you mean this one')
    .action(
      audited(async ({ db, program }, id: Id, { yesEraseName }: { yesEraseName: string }) =>
        erase(db, await confirm(db, id, yesEraseName), progressTo(program)).catch(tellToRunAgain),
      ),
    )
}

export function addErasuresCommands(program: Command): void {
  const command = subcommand(program, 'erasures', 'read the erasures, which a restore repeats')
  subcommand(command, 'list', 'list the erasures: ids, times and counts').action(
    action(async ({ db }) => ({ data: await listErasures(db).execute() })),
  )
}

function tellToRunAgain(error: unknown): never {
  if (error instanceof Interrupted) throw new CommandError('interrupted: run the same command again to continue')
  throw error
}

function progressTo(program: Program) {
  return { signal: program.terminal.signal, onProgress: (line: string) => program.warn(line) }
}

async function confirmOrganization(db: Database, organizationId: OrganizationId, name: string): Promise<Subject> {
  const { found, erased } = await db.batch({
    found: db.selectFrom('organizations').select('name').where('id', '=', organizationId),
    erased: db
      .selectFrom('erasures')
      .select('completed_at')
      .where('organization_id', '=', organizationId)
      .where('agent_id', 'is', null),
  })
  if (!found[0]) {
    const { completed_at } = erased[0] ?? {}
    if (completed_at)
      throw new CommandError(`organization ${organizationId} was erased at ${new Date(completed_at).toISOString()}`)
    organizationNotFound(organizationId)
  }
  requireName(found[0].name, name, 'organization', organizationId)
  return { organizationId }
}

async function confirmAgent(db: Database, agentId: AgentId, name: string): Promise<Subject> {
  const found = await agentById(db, agentId).select(['organization_id', 'name']).executeTakeFirst()
  if (!found) agentNotFound(agentId)
  requireName(found.name, name, 'agent', agentId)
  return { organizationId: found.organization_id as OrganizationId, agentId }
}

function requireName(name: string, typed: string, kind: string, id: string): void {
  if (name !== typed)
    throw new CommandError(`that is not the name of ${kind} ${id}: npx cuecard ${kind} show ${id} shows it`)
}

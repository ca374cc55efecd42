import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { sql } from 'kysely'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import { type AgentId, agentId, type OrganizationId, organizationId, uuid } from '../../../shared/ids.ts'
import { action, audited } from '../action.ts'
import { agentById, agentNotFound } from '../agents.ts'
import { CommandError, organizationNotFound } from '../command-error.ts'
import { parser, subcommand } from '../options.ts'
import type { Program } from '../terminal.ts'
import type { Subject } from './belongings.ts'
import { type EraseOptions, type Erasure, erase, listErasures } from './erase.ts'

export const addOrganizationDelete = (organization: Command) =>
  addDelete(organization, 'an organization', organizationId, confirmOrganization)
export const addAgentDelete = (agent: Command) => addDelete(agent, 'an agent', agentId, confirmAgent)

function addDelete<Id>(
  parent: Command,
  kind: string,
  id: v.GenericSchema<string, Id>,
  confirm: (db: Database, id: Id, name: string) => Promise<Subject>,
) {
  subcommand(parent, 'delete', `erase ${kind} and all that it has, for good; continues what was interrupted`)
    .argument('<id>', `id of ${kind.replace(/^an /, 'the ')}`, parser(id))
    .requiredOption('--yes-erase-name <name>', 'its name, to confirm that it is the one')
    .action(
      audited(async ({ db, program }, id: Id, { yesEraseName }: { yesEraseName: string }) =>
        erase(db, await confirm(db, id, yesEraseName), progressTo(program)),
      ),
    )
}

export function addErasuresCommands(program: Command): void {
  const command = subcommand(program, 'erasures', 'what was erased, and must be erased again after a restore')
  subcommand(command, 'list', 'list the erasures, for a backup or a replay: ids, times and counts').action(
    action(async ({ db }) => ({ data: await listErasures(db).execute() })),
  )
  subcommand(command, 'replay', 'erase again what a restore brought back, by the database’s list and standard input')
    .option('--yes', 'do it; without it, they are listed')
    .action(
      audited(async ({ db, program }, { yes }: { yes?: true }) => {
        await addErasures(db, program)
        const erasures = await findToReplay(db)
        if (yes) return { data: await replay(db, erasures, progressTo(program)) }
        if (erasures.length > 0)
          program.warn('Nothing was erased yet. These are there again: pass --yes to erase them.')
        return { data: erasures }
      }),
    )
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

const entry = v.object({
  id: uuid,
  kind: v.picklist(['organization', 'agent']),
  organization_id: organizationId,
  agent_id: v.nullable(agentId),
  requested_at: v.pipe(v.string(), v.isoTimestamp()),
})
const list = v.pipe(v.string(), v.trim(), v.parseJson(), v.object({ data: v.array(entry) }))

/** Adds what the restored database does not have. @throws CommandError when standard input is anything but empty or such a list */
async function addErasures(db: Database, { terminal: { stdin } }: Program): Promise<void> {
  const typed = stdin.isTTY ? '' : await text(stdin)
  if (typed.trim() === '') return
  const { success, output } = v.safeParse(list, typed)
  if (!success) throw new CommandError('standard input must be what npx cuecard erasures list --json has printed')
  if (output.data.length === 0) return
  await db
    .insertInto('erasures')
    .values(output.data)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Erasures whose organization or agent is there: a restore has brought it back, or the erasure did not end. */
async function findToReplay(db: Database): Promise<Erasure[]> {
  const isPresent = sql<boolean>`case when agent_id is null then organization_id in (select id from organizations)
    else (organization_id, agent_id) in (select organization_id, id from agents) end`
  return await listErasures(db).where(isPresent).execute()
}

async function replay(db: Database, erasures: Erasure[], options: EraseOptions): Promise<Erasure[]> {
  const done: Erasure[] = []
  for (const { organization_id, agent_id } of erasures)
    done.push(await erase(db, subjectOf(organization_id, agent_id), options))
  return done
}

function subjectOf(organizationId: string, agentId: string | null): Subject {
  return { organizationId: organizationId as OrganizationId, agentId: (agentId as AgentId | null) ?? undefined }
}

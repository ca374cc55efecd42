import { text } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import { type AgentId, agentId, type OrganizationId, organizationId } from '../../shared/ids.ts'
import { type Permission, permissions } from '../../shared/organizations/permissions.ts'
import { holidays, timeZone } from '../../shared/organizations/time-zone.ts'
import { CommandError } from '../command-line/command-error.ts'
import { count, expiry, id, optional, parser, required, subcommand } from '../command-line/options.ts'
import type { Terminal } from '../command-line/terminal.ts'
import { action, audited } from './action.ts'
import { createAgent, listAgents, removeRetellSecret, setRetellSecret, showAgent } from './agents.ts'
import { addAgentDelete, addOrganizationDelete } from './erasure-commands.ts'
import { addOrganizationExport } from './export/export.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import {
  createOrganization,
  listOrganizations,
  onlyOrganization,
  setLimits,
  showOrganization,
} from './organizations.ts'

export function addOrganizationCommands(program: Command): void {
  const command = subcommand(program, 'organization', 'manage organizations (customers)')
  subcommand(command, 'create', 'create an organization')
    .addOption(required.name())
    .action(audited(({ db }, { name }: { name: string }) => createOrganization(db, name)))
  subcommand(command, 'list', 'list all organizations').action(action(({ db }) => listOrganizations(db)))
  subcommand(command, 'show', 'show an organization: its settings, agents and documents')
    .argument('<id>', 'id of the organization', parser(organizationId))
    .action(action(({ db }, id: OrganizationId) => showOrganization(db, id)))
  subcommand(command, 'limits', 'show an organization’s limits and today’s use, and change the limits that are given')
    .argument('<id>', 'id of the organization', parser(organizationId))
    .option('--requests-per-second <n>', 'requests per second on average', parser(count(1)))
    .option('--burst <n>', 'requests in a burst', parser(count(1)))
    .option('--tokens-per-day <n>', 'tokens embedded per day (UTC)', parser(count(0)))
    .option('--documents-in-pipeline <n>', 'documents that are pending or processing', parser(count(0)))
    .option('--stored-bytes <n>', 'bytes of files, texts and chunks', parser(count(0)))
    .action((id: OrganizationId, changes: LimitOptions, command: Command) =>
      (Object.keys(changes).length > 0 ? changeLimits : showLimits)(id, changes, command),
    )
  addOrganizationExport(command)
  addOrganizationDelete(command)
}

export function addAgentCommands(program: Command): void {
  const command = subcommand(program, 'agent', 'manage voice agents')
  subcommand(command, 'create', 'create an agent')
    .addOption(required.organization())
    .addOption(required.name())
    .option('--time-zone <name>', 'time zone of the business, such as Europe/Berlin', parser(timeZone))
    .option(
      '--holidays <code>',
      'country or region whose public holidays it has, such as CA or CA-ON',
      parser(holidays),
    )
    .action(
      audited(({ db }, { organization, name, timeZone, holidays }: NewAgentOptions) =>
        createAgent(db, organization, name, { time_zone: timeZone, holidays }),
      ),
    )
  subcommand(command, 'list', 'list the agents of an organization')
    .addOption(optional.onlyOrganization())
    .action(listOf(listAgents))
  subcommand(command, 'show', 'show an agent, whether its knowledge base tool is on, and why')
    .argument('<id>', 'id of the agent', parser(agentId))
    .action(action(({ db }, id: AgentId) => showAgent(db, id)))
  subcommand(
    command,
    'retell-secret',
    'require Retell’s signature: reads the secret from standard input, never prints it',
  )
    .argument('<id>', 'id of the agent', parser(agentId))
    .option('--remove', 'accept requests without a signature again')
    .action(
      audited(async ({ db, program }, id: AgentId, { remove }: { remove?: true }) =>
        remove
          ? removeRetellSecret(db, id)
          : setRetellSecret(db, id, retellSecret(await standardInput(program.terminal))),
      ),
    )
  addAgentDelete(command)
}

export function addKeyCommands(program: Command): void {
  const command = subcommand(program, 'key', 'manage API keys')
  subcommand(command, 'create', 'create an API key and print it (it cannot be shown again)')
    .addOption(required.organization())
    .addOption(required.name())
    .addOption(
      new Option('--permissions <list>', `comma-separated permissions: ${permissions.join(', ')}`)
        .argParser(parser(permissionList))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--expires <when>',
        'when it expires: a time (2027-01-01T00:00:00Z) or a duration (90m, 12h, 30d, 8w)',
      ).argParser(parser(expiry)),
    )
    .action(
      audited(({ db }, { organization, name, permissions, expires }: NewKeyOptions) =>
        createKey(db, { organizationId: organization, name, permissions, expiresAt: expires }),
      ),
    )
  subcommand(command, 'list', 'list the API keys of an organization, without the keys themselves')
    .addOption(optional.onlyOrganization())
    .action(listOf(listKeys))
  subcommand(command, 'revoke', 'revoke an API key; takes effect everywhere within 30 seconds')
    .argument('<id>', 'id of the key, not the key itself', id)
    .option('--with-created', 'also revoke the keys created with it in the dashboard, such as after a leak')
    .action(audited(({ db }, id: string, options: { withCreated?: true }) => revokeKey(db, id, options)))
}

const listOf = (list: (db: Database, id: OrganizationId) => Promise<{ data: object[] }>) =>
  action(async ({ db }, { organization }: Partial<Owned>) => list(db, organization ?? (await onlyOrganization(db))))

interface LimitOptions {
  requestsPerSecond?: number
  burst?: number
  tokensPerDay?: number
  documentsInPipeline?: number
  storedBytes?: number
}

const showLimits = action(({ db }, id: OrganizationId, _: LimitOptions) => setLimits(db, id, {}))
const changeLimits = audited(({ db }, id: OrganizationId, changes: LimitOptions) =>
  setLimits(db, id, {
    ...(changes.requestsPerSecond !== undefined && { requests_per_second: changes.requestsPerSecond }),
    ...(changes.burst !== undefined && { request_burst: changes.burst }),
    ...(changes.tokensPerDay !== undefined && { tokens_per_day: changes.tokensPerDay }),
    ...(changes.documentsInPipeline !== undefined && { documents_in_pipeline: changes.documentsInPipeline }),
    ...(changes.storedBytes !== undefined && { stored_bytes: changes.storedBytes }),
  }),
)

interface Owned {
  organization: OrganizationId
}

interface Named extends Owned {
  name: string
}

interface NewAgentOptions extends Named {
  timeZone?: string
  holidays?: string
}

interface NewKeyOptions extends Named {
  permissions: Permission[]
  expires?: Date
}

const permissionList = v.pipe(
  v.string(),
  v.transform((list) => [...new Set(list.split(',').map((permission) => permission.trim()))]),
  v.array(v.picklist(permissions, `must be a comma-separated list of ${permissions.join(', ')}`)),
)

const secret = v.pipe(v.string(), v.trim(), v.regex(/^[\x21-\x7e]{16,200}$/))

/** @throws CommandError, which does not repeat the typed secret */
function retellSecret(typed: string): string {
  const result = v.safeParse(secret, typed)
  if (result.success) return result.output
  throw new CommandError('the secret on standard input must have between 16 and 200 printable ASCII characters')
}

/** Reads the secret from a pipe, because the shell's history and the list of processes show arguments. @throws CommandError at a terminal */
async function standardInput({ stdin }: Terminal): Promise<string> {
  if (stdin.isTTY) throw new CommandError('pipe the secret into the command: npx cuecard agent retell-secret ID < FILE')
  return await text(stdin)
}

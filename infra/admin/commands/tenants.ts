import { Command, Option } from 'commander'
import * as v from 'valibot'
import { type Permission, permissions } from '../../../shared/http/api-keys.ts'
import type { OrganizationId } from '../../../shared/ids.ts'
import { organizationId } from '../../../shared/ids.ts'
import { answers, checked, id, required } from '../command.ts'
import { expiry } from '../expiry.ts'
import {
  createAgent,
  createKey,
  createOrganization,
  listAgents,
  listKeys,
  listOrganizations,
  revokeKey,
  showOrganization,
} from '../tenants.ts'

export function organizationCommand() {
  const command = new Command('organization').description('customers')
  command
    .command('create')
    .description('make an organization')
    .addOption(required.name())
    .action(answers(({ db }, { name }: { name: string }) => createOrganization(db, name)))
  command
    .command('list')
    .description('list all organizations')
    .action(answers(({ db }) => listOrganizations(db)))
  command
    .command('show')
    .description('show one organization, its settings and the size of it')
    .argument('<id>', 'the organization', checked(organizationId))
    .action(answers(({ db }, id: OrganizationId) => showOrganization(db, id)))
  return command
}

export function agentCommand() {
  const command = new Command('agent').description('voice agents of a customer')
  command
    .command('create')
    .description('make an agent')
    .addOption(required.organization())
    .addOption(required.name())
    .action(answers(({ db }, { organization, name }: Named) => createAgent(db, organization, name)))
  command
    .command('list')
    .description('list the agents of an organization')
    .addOption(required.organization())
    .action(answers(({ db }, { organization }: Owned) => listAgents(db, organization)))
  return command
}

export function keyCommand() {
  const command = new Command('key').description('API keys of a customer')
  command
    .command('create')
    .description('make an API key; this is the only time that it is shown')
    .addOption(required.organization())
    .addOption(required.name())
    .addOption(
      new Option('--permissions <list>', `what it may do, separated by commas: ${permissions.join(', ')}`)
        .argParser(checked(permissionList))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--expires <when>', 'a time (2027-01-01T00:00:00Z) or a duration (90m, 12h, 30d, 8w)').argParser(
        checked(expiry),
      ),
    )
    .action(
      answers(({ db }, { organization, name, permissions, expires }: NewKeyOptions) =>
        createKey(db, { organizationId: organization, name, permissions, expiresAt: expires }),
      ),
    )
  command
    .command('list')
    .description('list the API keys of an organization, without the keys themselves')
    .addOption(required.organization())
    .action(answers(({ db }, { organization }: Owned) => listKeys(db, organization)))
  command
    .command('revoke')
    .description('revoke an API key; within 30 seconds it is refused everywhere')
    .argument('<id>', 'the id of the key, not the key', id)
    .action(answers(({ db }, id: string) => revokeKey(db, id)))
  return command
}

interface Owned {
  organization: OrganizationId
}

interface Named extends Owned {
  name: string
}

interface NewKeyOptions extends Named {
  permissions: Permission[]
  expires?: Date
}

const permissionList = v.pipe(
  v.string(),
  v.transform((text) => [...new Set(text.split(',').map((permission) => permission.trim()))]),
  v.array(v.picklist(permissions, `must be a list of ${permissions.join(', ')}`)),
)

import { type Command, Option } from 'commander'
import { sql } from 'kysely'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { type Role, roles } from '../../shared/organizations/permissions.ts'
import { organizationNotFound } from '../command-line/command-error.ts'
import { optional, parser, required, subcommand } from '../command-line/options.ts'
import { action, audited } from './action.ts'
import { rowsOf } from './lists.ts'
import { onlyOrganization } from './organizations.ts'

export function addPersonCommands(program: Command): void {
  const command = subcommand(program, 'person', 'manage the people who sign in to the dashboard')
  subcommand(command, 'add', 'add a person to an organization, such as its first owner; they sign in with their mail')
    .addOption(required.organization())
    .addOption(new Option('--mail <address>', 'mail address').argParser(parser(mail)).makeOptionMandatory())
    .addOption(new Option('--role <role>', 'role').choices(Object.keys(roles)).default('owner'))
    .action(audited(({ db }, options: NewPerson) => addPerson(db, options)))
  subcommand(command, 'list', 'list the people of an organization')
    .addOption(optional.onlyOrganization())
    .action(
      action(async ({ db }, { organization }: { organization?: OrganizationId }) =>
        listPeople(db, organization ?? (await onlyOrganization(db))),
      ),
    )
}

const mail = v.pipe(v.string(), v.trim(), v.toLowerCase(), v.email('must be a mail address'), v.maxLength(254))

interface NewPerson {
  organization: OrganizationId
  mail: string
  role: Role
}

/** Adds a member, or changes an existing member's role. @throws CommandError if the organization does not exist */
export async function addPerson(db: Database, { organization, mail, role }: NewPerson) {
  const { members } = await db.batch({
    person: sql`insert into people (id, mail) values (${newId()}, ${mail}) on conflict (mail) do nothing`,
    members: sql<{ id: string }>`
      insert into memberships as m (organization_id, person_id, role)
      select o.id, p.id, ${role} from organizations o, people p where o.id = ${organization} and p.mail = ${mail}
      on conflict (organization_id, person_id) do update set role = excluded.role, removed_at = null,
        created_at = case when m.removed_at is null then m.created_at else now() end
      returning person_id as id`,
  })
  return { id: (members[0] ?? organizationNotFound(organization)).id, organization_id: organization, role }
}

async function listPeople(db: Database, organizationId: OrganizationId) {
  const people = sql<{ id: string; mail: string; role: Role; removed_at: Date | null; created_at: Date }>`
    select p.id, p.mail, m.role, m.removed_at, m.created_at from memberships m join people p on p.id = m.person_id
    where m.organization_id = ${organizationId} order by p.mail`
  return { data: await rowsOf(db, organizationId, people) }
}

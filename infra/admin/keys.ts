import type { Database } from '../../shared/database/database.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import * as keys from '../../shared/organizations/keys.ts'
import { CommandError, organizationNotFound } from '../command-line/command-error.ts'
import { anyOrganization, rowsOf } from './lists.ts'

interface NewKey extends keys.NewKey {
  organizationId: OrganizationId
}

/** @returns the key, which is shown nowhere else @throws CommandError if the organization does not exist */
export async function createKey(db: Database, { organizationId, ...key }: NewKey) {
  return (await keys.createKey(db, organizationId, key)) ?? organizationNotFound(organizationId)
}

export async function listKeys(db: Database, organizationId: OrganizationId) {
  return { data: await rowsOf(db, organizationId, keys.listKeys(db, organizationId)) }
}

/** Takes effect everywhere within 30 seconds. A second call keeps the first time. @throws CommandError for an unknown key */
export async function revokeKey(db: Database, id: string, options: { withCreated?: boolean } = {}) {
  const revoked = await keys.revokeKey(db, anyOrganization, id, options)
  if (!revoked) throw new CommandError(`no such key: ${id}`)
  return revoked
}

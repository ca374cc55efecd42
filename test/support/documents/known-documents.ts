import type { Tenant, TestStand } from '../stand/stand.ts'

/** Documents of which a question finds the right one: title and content. */
export const known = {
  hours: ['Opening hours', 'Our bakery is open from Monday to Saturday. On Sunday the bakery is closed.'],
  bread: ['Bread', 'We bake rye bread and gluten-free bread. Gluten-free bread must be ordered a day ahead.'],
  parking: ['Parking', 'Guests park free of charge in the courtyard behind the bakery.'],
} as const

/** Stores them for the tenant, ready to be found. @returns their ids */
export async function storeKnown(stand: TestStand, tenant: Tenant): Promise<string[]> {
  const ids: string[] = []
  for (const [title, content] of Object.values(known))
    ids.push((await tenant.call('POST', tenant.knowledgeBase, { title, content })).body.id)
  await stand.deliver()
  return ids
}

/** A tenant of whose documents a question finds the right one. */
export async function tenantWithDocuments(stand: TestStand): Promise<Tenant> {
  const tenant = await stand.tenant()
  await storeKnown(stand, tenant)
  return tenant
}

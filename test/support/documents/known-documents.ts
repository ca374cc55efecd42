import { expect } from 'vitest'
import type { Tenant, TestStand } from '../stand/stand.ts'

/** Documents of which a question finds the right one: title and content. */
export const known = {
  hours: ['Opening hours', 'Our bakery is open from Monday to Saturday. On Sunday the bakery is closed.'],
  bread: ['Bread', 'We bake rye bread and gluten-free bread. Gluten-free bread must be ordered a day ahead.'],
  parking: ['Parking', 'Guests park free of charge in the courtyard behind the bakery.'],
} as const

/** Stores texts, which search then serves. @returns their ids */
export async function serveTexts(stand: TestStand, tenant: Tenant, texts: readonly object[]): Promise<string[]> {
  const ids: string[] = []
  for (const text of texts) {
    const { status, body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'T', ...text })
    expect(status).toBe(201)
    ids.push(body.id)
  }
  await stand.deliver()
  return ids
}

/** A tenant whose texts search serves, each as a document. */
export async function tenantWith(stand: TestStand, contents: readonly string[], title = 'T'): Promise<Tenant> {
  const tenant = await stand.tenant()
  const texts = contents.map((content) => ({ title, content }))
  await serveTexts(stand, tenant, texts)
  return tenant
}

/** Stores the known documents for the tenant. @returns their ids */
export const storeKnown = (stand: TestStand, tenant: Tenant) =>
  serveTexts(
    stand,
    tenant,
    Object.values(known).map(([title, content]) => ({ title, content })),
  )

/** A tenant of whose documents a question finds the right one. */
export async function tenantWithDocuments(stand: TestStand): Promise<Tenant> {
  const tenant = await stand.tenant()
  await storeKnown(stand, tenant)
  return tenant
}

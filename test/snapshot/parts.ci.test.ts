import { expect, test } from 'vitest'
import type { SnapshotPart } from '../../functions/snapshot/schemas.ts'
import { toBase64 } from '../../shared/embedding/vectors.ts'
import { createDocument } from '../support/documents/documents.ts'
import { known, storeKnown } from '../support/documents/known-documents.ts'
import { useGateway } from '../support/stand/gateway.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { getPart, getParts } from './read-snapshot.ts'

const stand = useStand()
const gateway = useGateway(stand)

const maxBytes = 4_000_000
const chunksOfLarge = 1100

/** Noise, which gzip can't make smaller. */
function noise(seed: number): string {
  const vector = Float32Array.from({ length: 1536 }, (_, i) => Math.sin(seed * 7919 + i * i))
  return toBase64(vector)
}

/** A document of so many chunks that it is in several parts. */
async function serveLarge(tenant: Tenant): Promise<string> {
  const { path } = await createDocument(tenant, undefined, 'Large')
  for (let from = 0; from < chunksOfLarge; from += 100) {
    const chunks = Array.from({ length: 100 }, (_, i) => {
      return { chunk_index: from + i, content: `Item ${from + i}: "quoted" \\ text`, embedding: noise(from + i) }
    })
    expect(await tenant.call('POST', `${path}/chunks`, { chunks })).toMatchObject({ status: 201 })
  }
  expect(await tenant.call('PATCH', path, { status: 'completed' })).toMatchObject({ status: 200 })
  return path
}

const contentsIn = (parts: readonly SnapshotPart[]) =>
  parts.flatMap(({ documents }) => documents.flatMap(({ chunks = [] }) => chunks.map(({ content }) => content)))

async function restOf(tenant: Tenant, first: SnapshotPart): Promise<SnapshotPart[]> {
  const rest: SnapshotPart[] = []
  for (let cursor = first.next_cursor; cursor; cursor = rest.at(-1)!.next_cursor)
    rest.push((await getPart(gateway.origin, tenant, `?cursor=${cursor}`)).part!)
  return rest
}

test('a large document comes in parts of at most 4 MB, each chunk once, and others with it', async () => {
  const tenant = await stand.tenant()
  await serveLarge(tenant)
  await storeKnown(stand, tenant)
  const { bytes } = await getPart(gateway.origin, tenant)
  expect(bytes).toBeGreaterThan(maxBytes / 2)
  expect(bytes).toBeLessThan(maxBytes)
  const parts = await getParts(gateway.origin, tenant)
  expect(parts.length).toBeGreaterThan(1)
  const contents = contentsIn(parts)
  expect(contents.length).toBe(chunksOfLarge + 3)
  expect(new Set(contents).size).toBe(contents.length)
  expect(parts.flatMap(({ documents }) => documents.map(({ is_whole }) => is_whole))).toEqual([
    false,
    true,
    true,
    true,
    true,
  ])
})

test('a document that is removed while the parts of a whole snapshot are read is listed, at once and in its place', async () => {
  const tenant = await stand.tenant()
  const [hours] = await storeKnown(stand, tenant)
  await serveLarge(tenant)
  const { part: first } = await getPart(gateway.origin, tenant)
  expect(first!.documents).toContainEqual(expect.objectContaining({ document_id: hours, revision: 1 }))
  await tenant.call('DELETE', `${tenant.knowledgeBase}/${hours}`)
  const rest = await restOf(tenant, first!)
  expect([first!.removed, rest[0]!.removed]).toEqual([[], [hours]])
  expect(rest.at(-1)!.documents.at(-1)).toMatchObject({ document_id: hours, revision: null })
})

test('a document that changes while its parts are read comes again, after the others', async () => {
  const tenant = await stand.tenant()
  const path = await serveLarge(tenant)
  await storeKnown(stand, tenant)
  const { part: first } = await getPart(gateway.origin, tenant)
  await tenant.call('PATCH', path, { title: 'Larger' })
  const rest = await restOf(tenant, first!)
  const [next, ...others] = rest.flatMap(({ documents }) => documents)
  expect(next).toMatchObject({ title: known.hours[0] })
  const again = others.filter(({ title }) => title === 'Larger')
  expect(again.flatMap(({ chunks }) => chunks).length).toBe(chunksOfLarge)
})

import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { SnapshotPart } from '../../functions/snapshot/schemas.ts'
import { snapshotJson } from '../support/http/snapshot-json.ts'
import type { Tenant } from '../support/stand/stand.ts'

/** One request for a snapshot. @returns its part; undefined unless the answer is 200 */
export async function getPart(origin: string, tenant: Tenant, query = '', headers: Record<string, string> = {}) {
  const url = `${origin}${tenant.knowledgeBase}/snapshot${query}`
  const response = await fetch(url, { headers: { 'x-api-key': tenant.apiKey, ...headers } })
  const bytes = Buffer.from(await response.arrayBuffer())
  const { status } = response
  const etag = response.headers.get('etag')
  if (status !== 200)
    return { status, etag, bytes: bytes.length, error: bytes.length > 0 ? JSON.parse(`${bytes}`) : null }
  const digest = createHash('sha256').update(bytes).digest('base64')
  expect(response.headers.get('content-digest')).toBe(`sha-256=:${digest}:`)
  const end = 4 + bytes.readUInt32BE(0)
  const part: SnapshotPart = JSON.parse(snapshotJson(bytes))
  return { status, etag, bytes: bytes.length, part, vectors: bytes.subarray(end) }
}

/** All parts of a snapshot, or of the changes since a version. */
export async function getParts(origin: string, tenant: Tenant, since?: number): Promise<SnapshotPart[]> {
  const parts: SnapshotPart[] = []
  for (let query = since === undefined ? '' : `?since=${since}`; ; ) {
    const { part, status } = await getPart(origin, tenant, query)
    expect(status).toBe(200)
    parts.push(part!)
    if (part!.next_cursor === null) return parts
    query = `?cursor=${part!.next_cursor}`
  }
}

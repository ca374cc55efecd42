import { v7 } from 'uuid'
import * as v from 'valibot'
import { integer } from './http/input/fields.ts'

export const uuid = v.pipe(v.string(), v.uuid('must be a UUID'), v.toLowerCase())

export const organizationId = v.pipe(uuid, v.brand('OrganizationId'))
export const agentId = v.pipe(uuid, v.brand('AgentId'), v.description('The agent’s id.'))
export const documentId = v.pipe(uuid, v.brand('DocumentId'), v.description('The document’s id.'))

export const sourceId = v.pipe(uuid, v.brand('SourceId'), v.description('The source’s id.'))

const revision = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,9}$/, 'must be a positive integer'),
  v.transform(Number),
  integer(1, 2 ** 31 - 1),
  v.description('The revision’s number.'),
)

export const agentPath = v.object({ agentId })
export const documentPath = v.object({ agentId, documentId })
export const sourcePath = v.object({ agentId, sourceId })
export const revisionPath = v.object({ agentId, documentId, revision })

export type OrganizationId = v.InferOutput<typeof organizationId>
export type AgentId = v.InferOutput<typeof agentId>
export type DocumentId = v.InferOutput<typeof documentId>
export type SourceId = v.InferOutput<typeof sourceId>

/** Ids sort by creation time. */
export function newId(): string {
  return v7()
}

/** A UUID (version 8) made of half of a SHA-256. */
export function idOfHash(sha256: Buffer): string {
  const hex = sha256.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

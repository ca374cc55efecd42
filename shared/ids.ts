import { v7 } from 'uuid'
import * as v from 'valibot'

export const uuid = v.pipe(v.string(), v.uuid('must be a UUID'), v.toLowerCase())

export const organizationId = v.pipe(uuid, v.brand('OrganizationId'))
export const agentId = v.pipe(uuid, v.brand('AgentId'), v.description('The agent’s id.'))
export const documentId = v.pipe(uuid, v.brand('DocumentId'), v.description('The document’s id.'))

export type OrganizationId = v.InferOutput<typeof organizationId>
export type AgentId = v.InferOutput<typeof agentId>
export type DocumentId = v.InferOutput<typeof documentId>

/** Ids sort by creation time. */
export function newId(): string {
  return v7()
}

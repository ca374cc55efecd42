import { v7 } from 'uuid'
import * as v from 'valibot'

/** A uuid in a path, query or body; upper case is accepted and converted to lower case. */
export const uuid = v.pipe(v.string(), v.uuid('must be a UUID'), v.toLowerCase())

export const organizationId = v.pipe(uuid, v.brand('OrganizationId'))
export const agentId = v.pipe(uuid, v.brand('AgentId'), v.description('The agent’s id.'))
export const documentId = v.pipe(uuid, v.brand('DocumentId'), v.description('The document’s id.'))

export type OrganizationId = v.InferOutput<typeof organizationId>
export type AgentId = v.InferOutput<typeof agentId>
export type DocumentId = v.InferOutput<typeof documentId>

/** A new UUID v7: ids sort by creation time. */
export function newId(): string {
  return v7()
}

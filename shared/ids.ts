import { v7 } from 'uuid'
import * as v from 'valibot'

/** A uuid in a path, query or body; upper case is accepted and lowered. */
export const uuid = v.pipe(v.string(), v.uuid('must be a uuid'), v.toLowerCase())

export const organizationId = v.pipe(uuid, v.brand('OrganizationId'))
export const agentId = v.pipe(uuid, v.brand('AgentId'), v.description('The agent.'))
export const documentId = v.pipe(uuid, v.brand('DocumentId'), v.description('The document.'))

export type OrganizationId = v.InferOutput<typeof organizationId>
export type AgentId = v.InferOutput<typeof agentId>
export type DocumentId = v.InferOutput<typeof documentId>

/** A new uuid v7: ids sort by creation. */
export function newId(): string {
  return v7()
}

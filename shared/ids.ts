import type { ParamKeys } from 'hono/types'
import { v7 } from 'uuid'
import * as v from 'valibot'
import { described, integer } from './http/input/fields.ts'

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

/** The schemas of the ids in paths, by the names that routes give them. */
const pathIds = {
  agentId,
  documentId,
  sourceId,
  revision,
  goldenQuestionId: described(uuid, 'The golden question’s id.'),
  webhookId: described(uuid, 'The webhook’s id.'),
  deliveryId: described(uuid, 'The delivery’s id.'),
  callId: uuid,
  connectionId: uuid,
  keyId: uuid,
  personId: uuid,
}
type PathIds = typeof pathIds

/** The ids in a route's path, such as `/v1/agents/:agentId`. */
export type IdsIn<Path extends string> = {
  [Name in ParamKeys<Path>]: Name extends keyof PathIds ? v.InferOutput<PathIds[Name]> : never
}

/** The schema of the ids in a path; undefined for a path without any. */
export function idsIn(path: string) {
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name]) => name as keyof PathIds)
  return names.length > 0 ? v.object(Object.fromEntries(names.map((name) => [name, pathIds[name]]))) : undefined
}

export type OrganizationId = v.InferOutput<typeof organizationId>
export type AgentId = v.InferOutput<typeof agentId>
export type DocumentId = v.InferOutput<typeof documentId>
export type WebsiteId = v.InferOutput<typeof sourceId>

/** Ids sort by creation time. */
export function newId(): string {
  return v7()
}

/** A UUID (version 8) made of half of a SHA-256. */
export function idOfHash(sha256: Buffer): string {
  const hex = sha256.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

import * as v from 'valibot'
import { type AgentId, type DocumentId, type OrganizationId, organizationId, uuid, type WebsiteId } from '../ids.ts'

/** The request that caused the work, for the logs. Work that an operator caused has none. */
export interface Origin {
  requestId?: string | null | undefined
  /** The id of the key, or of the person. */
  by?: string | null | undefined
}

/** The work's kinds: a document to process, a source to crawl, an agent whose model changes. */
interface Ids {
  document: DocumentId
  source: WebsiteId
  agent: AgentId
}

export type Kind = keyof Ids

/** Says that a row has work to do. It holds ids only, so the order, age and number of messages do not matter. */
export interface Message<K extends Kind = Kind> extends Origin {
  organizationId: OrganizationId
  kind: K
  id: Ids[K]
  /** True for a document whose text is not extracted yet. For the sender, which chooses the queue. */
  awaitsText?: boolean | undefined
}

/** The origin that a row of work stores. */
export function originOf(row: { request_id: string | null; requested_by: string | null }): Origin {
  return { requestId: row.request_id, by: row.requested_by }
}

/** The message's ids by their names in logs. */
export function idsOf({ requestId, organizationId, by, kind, id }: Message) {
  return {
    request_id: requestId,
    organization_id: organizationId,
    api_key_id: by,
    [`${kind}_id`]: id,
  }
}

const body = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    v: v.literal(1),
    organization_id: organizationId,
    kind: v.picklist(['document', 'source', 'agent']),
    id: uuid,
    request_id: v.optional(v.string()),
    api_key_id: v.optional(v.string()),
  }),
)

export function bodyOf({ organizationId, kind, id, requestId, by }: Message): string {
  return JSON.stringify({
    v: 1,
    organization_id: organizationId,
    kind,
    id,
    request_id: requestId ?? undefined,
    api_key_id: by ?? undefined,
  })
}

/** @returns undefined if the text is not a message's body */
export function parseMessage(text: string): Message | undefined {
  const result = v.safeParse(body, text)
  if (!result.success) return undefined
  const { organization_id: organizationId, kind, id, request_id: requestId, api_key_id: by } = result.output
  return { organizationId, kind, id: id as Message['id'], requestId, by }
}

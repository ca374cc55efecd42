import type { ColumnType, Generated, JSONColumnType } from 'kysely'

type Id = string
type Time = ColumnType<Date, Date | string | undefined, Date | string>
type Json = JSONColumnType<Record<string, unknown>, string, string>

/** Kysely's view of the tables that `infra/migrations/` creates. */
export interface Tables {
  organizations: {
    id: Id
    name: string
    auto_delete_done_calls: Generated<boolean>
    cursor_key: Generated<Buffer>
    created_at: Time
  }
  agents: {
    organization_id: Id
    id: Id
    name: string
    document_count: Generated<number>
    ready_document_count: Generated<number>
    knowledge_base_enabled: ColumnType<boolean, never, never>
    created_at: Time
  }
  api_keys: {
    organization_id: Id
    id: Id
    name: string
    key_hash: Buffer
    permissions: string[]
    expires_at: Date | null
    revoked_at: Date | null
    created_at: Time
  }
  signing_secrets: {
    organization_id: Id
    agent_id: Id
    platform: 'retell'
    secret: Buffer
    created_at: Time
  }
  documents: {
    organization_id: Id
    id: Id
    agent_id: Id
    title: string
    title_terms: string | null
    content: string | null
    content_hash: Buffer | null
    source_type: Generated<'manual' | 'pdf' | 'csv' | 'txt' | 'docx'>
    source_url: string | null
    status: Status
    managed_by: 'service' | 'client'
    revision: Generated<number>
    active_revision: number | null
    chunk_count: Generated<number>
    chunk_offsets: number[] | null
    /** Null in a row that is not counted yet. */
    searchable_chunk_count: Generated<number | null>
    error_message: string | null
    error_code: string | null
    lease_token: string | null
    lease_expires_at: Date | null
    attempt: Generated<number>
    retry_count: Generated<number>
    next_attempt_at: Date | null
    waiting_reason: string | null
    tries: Generated<number>
    resend_at: Time
    request_id: string | null
    requested_by: Id | null
    pending_since: Time
    version: Generated<string>
    edits: Generated<number>
    created_at: Time
    updated_at: Time
  }
  chunks: {
    organization_id: Id
    id: Id
    agent_id: Id
    document_id: Id
    revision: number
    chunk_index: number
    content: string
    /** Of a chunk that is not converted yet. */
    embedding: string | null
    token_count: number
    metadata: Json
    content_hash: Buffer | null
    vector_id: Id | null
    sketch: string | null
    created_at: Time
  }
  vectors: {
    organization_id: Id
    document_id: Id
    id: Id
    exponent: number
    embedding: string
    sketch: string
  }
  chunk_terms: {
    organization_id: Id
    agent_id: Id
    document_id: Id
    revision: number
    chunk_index: number
    length: number
    terms: string
  }
  query_vectors: {
    organization_id: Id
    key: Buffer
    embedding: string
    high: string
    middle: string
    low: string
    cosine_per_unit: number
    created_at: Time
  }
  idempotency_keys: {
    organization_id: Id
    api_key_id: Id
    key: string
    request_hash: Buffer
    owner: Id
    response: Json | null
    created_at: Time
  }
  calls: {
    organization_id: Id
    id: Id
    agent_id: Id
    done_at: Date | null
    deleted_at: Date | null
    created_at: Time
  }
}

export type Status = 'pending' | 'processing' | 'completed' | 'error'

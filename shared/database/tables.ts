import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely'
import type { Permission } from '../organizations/permissions.ts'
import type { Level } from '../retrieval/answerable.ts'
import type { Value } from '../retrieval/schemas.ts'
import type { Id, Json, Time, TimeOrNull } from './column-types.ts'
import type { WebhookTables } from './webhook-tables.ts'
import type { WebsiteTables } from './website-tables.ts'

/** A chunk returned for a question, of the revision that search served then. */
export interface KeptHit {
  /** Undefined in questions that were asked before chunks' ids were kept. */
  chunk_id?: Id
  document_id: Id
  revision: number
  chunk_index: number
  score: number
}

/** What answers a question since it was asked. The hit is of the revision that search serves. */
export interface AnsweredSince {
  hit: Required<Pick<KeptHit, 'chunk_id' | 'document_id' | 'chunk_index'>>
  value: Value | null
}

/** A public holiday: its day, `YYYY-MM-DD`, and its name. */
export interface MissingHoliday {
  day: string
  name: string
}

/** The tables that typed queries and `columnsOf` use; infra/migrations has all. */
export interface Tables extends WebsiteTables, WebhookTables {
  organizations: {
    id: Id
    name: string
    auto_delete_done_calls: Generated<boolean>
    log_questions: Generated<boolean>
    /** True if viewers read callers' questions in the dashboard. */
    viewers_read_questions: Generated<boolean>
    keep_revisions: Generated<boolean>
    requests_per_second: Generated<number>
    request_burst: Generated<number>
    tokens_per_day: ColumnType<string, number | undefined, number>
    documents_in_pipeline: Generated<number>
    stored_bytes: ColumnType<string, number | undefined, number>
    cursor_key: Generated<Buffer>
    created_at: Time
  }
  request_meters: {
    organization_id: Id
    full_at: Time
    day: string
    requests: string
    question_tokens: string
    snapshot_minute: Date | null
    snapshot_bytes: string
  }
  embedded_tokens: { organization_id: Id; day: string; tokens: string }
  agents: {
    organization_id: Id
    id: Id
    name: string
    ready_document_count: Generated<number>
    served_version: Generated<string>
    purged_version: Generated<string>
    knowledge_version: Generated<string>
    knowledge_base_enabled: ColumnType<boolean, never, never>
    model: string | null
    next_model: string | null
    /** The model of the other vectors of its chunks; null if they are of the next model. */
    former_model: string | null
    former_until: Date | null
    model_due_at: Date | null
    model_waiting: string | null
    /** An IANA name; null, which means UTC, if nobody has chosen one. */
    time_zone: string | null
    /** An ISO 3166 code of a country or region. */
    holidays: string | null
    /** Those of the next fortnight that no served text names, in order. */
    missing_holidays: JSONColumnType<MissingHoliday[], string | undefined, string>
    /** When the sweeper looks for them again, if the agent has holidays. */
    holidays_due_at: Time
    created_at: Time
  }
  api_keys: {
    organization_id: Id
    id: Id
    name: string
    key_hash: Buffer
    permissions: Permission[]
    expires_at: Date | null
    revoked_at: Date | null
    /** The key that created it in the dashboard; null if an operator or a person did. */
    created_by: string | null
    created_by_person: string | null
    created_at: Time
  }
  /** A session belongs to a key or to a person. */
  sessions: {
    organization_id: Id
    api_key_id: Id | null
    person_id: Id | null
    token_hash: Buffer
    expires_at: Time
    created_at: Time
  }
  sign_in_attempts: { source: string; failures: number; since: Time }
  signing_secrets: { organization_id: Id; agent_id: Id; platform: 'retell'; secret: Buffer; created_at: Time }
  documents: {
    organization_id: Id
    id: Id
    agent_id: Id
    title: string
    external_id: string | null
    source_id: Generated<Id | null>
    metadata: JSONColumnType<Record<string, unknown>, string | undefined, string>
    /** True if no client has given a title: it is the file's name, or the title inside the file. */
    title_from_file: Generated<boolean>
    content: string | null
    content_hash: Buffer | null
    source_type: Generated<SourceType>
    /** The `s3://…` address of a document's file; without a `content_hash` the document awaits its text. */
    source_url: string | null
    file_bytes: number | null
    upload_until: Date | null
    uploaded_at: Date | null
    file_etag: string | null
    extracted_text: string | null
    /** The passages of the text that may be wrong. */
    file_notes: JSONColumnType<ExtractionNote[], string | undefined, string>
    /** People's corrections, in the order in which they apply. One whose passage the text lacks waits for a person. */
    corrections: JSONColumnType<Correction[], string | undefined, string>
    pages_read: number | null
    pages: number | null
    /** True if a person is asked, before it is embedded, whether it replaces a similar document: it was uploaded in the dashboard. */
    may_replace: Generated<boolean>
    /** The document that it may replace, or itself once that one is deleted; null once a person has answered. */
    resembles: Id | null
    status: Status
    managed_by: 'service' | 'client'
    revision: Generated<number>
    active_revision: number | null
    text_revision: Generated<number>
    revised_at: Time
    revised_by: Id | null
    served_at: Date | null
    chunk_count: Generated<number>
    chunk_offsets: number[] | null
    page_starts: JSONColumnType<PageStart[] | null, string | null | undefined, string | null>
    chunk_pages: JSONColumnType<(number | string)[] | null, string | null | undefined, string | null>
    /** How many chunks the revision in progress brings, if it is stored in several parts. */
    planned_chunk_count: number | null
    searchable_chunk_count: Generated<number>
    valid_from: TimeOrNull
    valid_until: TimeOrNull
    error_message: string | null
    error_code: string | null
    warnings: JSONColumnType<Warning[], string | undefined, string>
    ignores_golden_questions: Generated<boolean>
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
    /** When it was put into the trash; null unless it is there. */
    deleted_at: TimeOrNull
    /** The values that it gets back when it is restored. */
    before_deletion: JSONColumnType<Record<string, unknown> | null, string | null | undefined, string | null>
    created_at: Time
    updated_at: Time
  }
  obsolete_files: {
    /** `s3:///{organizationId}/` stands for all files of an organization. */
    source_url: string
    delete_at: Time
    /** The time of the last deletion, after which no file can arrive. */
    last_at: Date
  }
  chunks: {
    organization_id: Id
    id: Id
    agent_id: Id
    document_id: Id
    revision: number
    chunk_index: number
    content: string
    token_count: number
    metadata: Json
    vector_id: Id | null
    sketch: Buffer | null
    terms: Buffer | null
    other_vector_id: Id | null
    created_at: Time
  }
  query_vectors: {
    organization_id: Id
    key: Buffer
    embedding: string
    created_at: Time
  }
  vectors: {
    organization_id: Id
    document_id: Id
    id: Id
    model: string | null
    exponent: number
    embedding: string
    sketch: Buffer
  }
  packs: {
    organization_id: Id
    agent_id: Id
    document_id: Id
    version: string
    revision: number | null
    title: string | null
    valid_from: Date | null
    valid_until: Date | null
    terms_version: number | null
    chunks: Buffer | null
    unserved_at: Date | null
  }
  golden_questions: {
    organization_id: Id
    agent_id: Id
    id: Id
    question: string
    document_id: Id | null
    words: string | null
    expects_nothing: Generated<boolean>
    /** The expected value, or null for none, if `expects_value`. */
    value: string | null
    expects_value: Generated<boolean>
    history: Generated<string[]>
    within: number
    on_failure: 'warn' | 'block'
    as_of: ColumnType<Date | null, string | null, string | null>
    model: string
    embedding: string
    passed: boolean | null
    rank: number | null
    checked_at: Date | null
    created_at: Time
  }
  question_log: {
    organization_id: Id
    agent_id: Id
    id: Id
    question: string
    call_id: string | null
    mode: 'hybrid' | 'semantic' | 'keyword'
    is_degraded: boolean
    hits: JSONColumnType<KeptHit[], string, never>
    answerable: number
    status: Level
    value: JSONColumnType<Value | null, string | null, never>
    asked_again_version: ColumnType<string | null, never, string>
    answered_since: JSONColumnType<AnsweredSince | null, never, string | null>
    is_answered_since: GeneratedAlways<boolean>
    milliseconds: number
    /** True if somebody has said so in the dashboard. */
    is_wrong: Generated<boolean>
    asked_at: Time
  }
  idempotency_keys: {
    organization_id: Id
    api_key_id: Id
    key: string
    request_hash: Buffer
    owner: Id
    response: Json | null
    agent_id: ColumnType<string | null, never, never>
    created_at: Time
  }
  calls: { organization_id: Id; id: Id; agent_id: Id; done_at: Date | null; deleted_at: Date | null; created_at: Time }
  operator_actions: {
    id: Id
    login: ColumnType<string, never, never>
    person: string
    command: string
    arguments: string[]
    organization_id: Id | null
    started_at: Time
    ended_at: Date | null
    outcome: 'done' | 'failed' | null
    detail: string | null
  }
  erasures: {
    id: Id
    kind: 'organization' | 'agent'
    organization_id: Id
    agent_id: Id | null
    requested_at: Time
    completed_at: Date | null
    counts: JSONColumnType<Record<string, number>, string | undefined, string>
  }
}

export type ExtractionNote = Doubt | LeftOut

/** A passage of extracted text that may be wrong; an empty `text` stands for the whole page. */
interface Doubt {
  code: 'doubtful_layout' | 'doubtful_words'
  page: number
  text: string
}

/** Parts of a file that were left out, named in the plural: `hidden_slides`, `comments`. */
interface LeftOut {
  code: 'hidden_text_left_out' | 'formulas_without_values'
  kind: string
  count: number
}

/** A page, sheet or slide: its offset in the document's text, in UTF-16 units, and its number or name. */
export type PageStart = [at: number, page: number | string]

/** A passage of a file's text, and the text that a person wrote instead. */
export interface Correction {
  before: string
  after: string
}

export interface Warning {
  code: 'golden_question_failed'
  golden_question_id: string
  question: string
  /** When it begins to fail, if the change takes effect later. */
  as_of?: string | undefined
}

export type SourceType = 'manual' | 'pdf' | 'csv' | 'txt' | 'docx'

export type Status = 'pending' | 'processing' | 'completed' | 'error'

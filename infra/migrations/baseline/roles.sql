-- Each Lambda has a role, and so have operators. Roles are groups without a login, own nothing and have no attributes. Create logins as
-- their members, in SQL: roles made in Neon's console bypass row-level security. Roles belong to the cluster, so another database of
-- the server may have created them.

do $$
declare
  name text;
begin
  foreach name in array array['agents', 'chunks', 'crawler', 'dashboard', 'delivery', 'documents', 'embedding', 'extraction', 'mcp', 'operator',
    'organization', 'platforms', 'questions', 'search', 'sweeper'] loop
    begin
      execute format('create role %I nologin', 'cuecard_' || name);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;
end $$;

revoke create on schema public from public;
grant usage on schema public to cuecard_agents, cuecard_chunks, cuecard_crawler, cuecard_dashboard, cuecard_delivery, cuecard_documents,
  cuecard_embedding, cuecard_extraction, cuecard_mcp, cuecard_operator, cuecard_organization, cuecard_platforms, cuecard_questions, cuecard_search,
  cuecard_sweeper;

-- Every request reads the key, the limits and the agent. Some record an idempotency key.

grant execute on function find_key to cuecard_agents, cuecard_chunks, cuecard_documents, cuecard_mcp, cuecard_organization,
  cuecard_platforms, cuecard_questions, cuecard_search;
grant execute on function count_requests to cuecard_agents, cuecard_chunks, cuecard_dashboard, cuecard_documents, cuecard_mcp,
  cuecard_organization, cuecard_platforms, cuecard_questions, cuecard_search;
grant select (organization_id, id) on agents to cuecard_chunks, cuecard_crawler, cuecard_documents, cuecard_mcp, cuecard_platforms, cuecard_questions,
  cuecard_search;
grant select, delete,
  insert (organization_id, api_key_id, key, request_hash, owner),
  update (request_hash, owner, response, created_at)
  on idempotency_keys to cuecard_chunks, cuecard_documents;

-- Documents: the dashboard can replace a document's file.

grant select, delete,
  insert (organization_id, id, agent_id, title, title_from_file, title_terms, external_id, metadata, content, content_hash, valid_from, valid_until,
    status, managed_by, request_id, requested_by, revised_by),
  update (title, title_from_file, title_terms, external_id, metadata, content, content_hash, valid_from, valid_until, source_type, source_url, file_bytes, extracted_text, file_notes,
    corrections, pages_read, pages, status, managed_by, revision, active_revision, chunk_count, chunk_offsets, planned_chunk_count, error_message, error_code, lease_token,
    lease_expires_at, attempt, retry_count, next_attempt_at, waiting_reason, tries, resend_at, pending_since, request_id,
    requested_by, uploaded_at, served_at, resembles, source_id)
  on documents to cuecard_crawler, cuecard_documents, cuecard_dashboard;
grant select on document_revisions to cuecard_documents, cuecard_dashboard;
grant select (organization_id, id, name) on api_keys to cuecard_documents;
grant execute on function admit_documents to cuecard_crawler, cuecard_documents, cuecard_dashboard;
grant insert (source_type, source_url, file_bytes, file_etag, upload_until, uploaded_at) on documents
  to cuecard_documents, cuecard_dashboard;
grant insert (may_replace, resembles), update (file_etag, upload_until, may_replace) on documents to cuecard_dashboard;
grant insert (source_type, source_id) on documents to cuecard_crawler;
grant select (organization_id, agent_id, document_id, revision, vector_id), delete on chunks to cuecard_crawler, cuecard_documents;
grant select (organization_id, document_id, id), delete on vectors to cuecard_crawler, cuecard_documents;

-- Sources and their crawls: deleting a source deletes its documents.

grant
  select,
  insert (organization_id, id, agent_id, url, address, kind, include, exclude, refresh_hours, request_id, requested_by),
  update (include, exclude, refresh_hours, status, error_message, next_check_at, resume_at, lease_token, lease_expires_at, attempt,
    resend_at, request_id, requested_by),
  delete
  on sources to cuecard_agents, cuecard_dashboard;
grant select (organization_id, agent_id, source_id, address, left_out, looked_at, gone_since) on source_pages
  to cuecard_agents, cuecard_dashboard;
grant select (crawl, task, applied_hash), update (applied_hash) on source_pages to cuecard_dashboard;
grant select (id, external_id, source_id, active_revision, warnings), update (warnings), delete on documents to cuecard_agents;
grant
  select,
  update (status, error_message, notice, checked_at, next_check_at, crawl, resume_at, lease_token, lease_expires_at, attempt, failures,
    sitemap, resend_at),
  delete
  on sources to cuecard_crawler;
grant select, insert, update, delete on source_pages to cuecard_crawler;
grant execute on function another_organization_waits to cuecard_crawler;

-- Chunks that a client uploads: they take over the document, whose text this role neither reads nor writes.

grant
  select (organization_id, id, agent_id, managed_by, revision, active_revision, chunk_count, chunk_offsets),
  update (status, managed_by, revision, active_revision, listed_revision, chunk_count, chunk_offsets, planned_chunk_count,
    error_message, error_code, lease_token, lease_expires_at, attempt, retry_count, next_attempt_at, waiting_reason, tries, requested_by, resembles)
  on documents to cuecard_chunks;
grant select, delete,
  insert (organization_id, id, agent_id, document_id, revision, chunk_index, content, token_count, metadata, vector_id, sketch)
  on chunks to cuecard_chunks;
grant select, delete, insert on vectors to cuecard_chunks;
grant insert (organization_id, agent_id, document_id, revision, chunk_index, length, terms) on chunk_terms to cuecard_chunks;

-- Search runs in four Lambdas.

grant select (organization_id, id, agent_id, title, title_terms, revision, active_revision, listed_revision, chunk_count,
    chunk_offsets, valid_from, valid_until, metadata)
  on documents to cuecard_search, cuecard_mcp, cuecard_platforms;
grant select (organization_id, id, agent_id, document_id, revision, chunk_index, content, token_count, metadata, vector_id, sketch)
  on chunks to cuecard_search, cuecard_mcp, cuecard_platforms, cuecard_dashboard;
grant select (organization_id, document_id, id, embedding)
  on vectors to cuecard_search, cuecard_mcp, cuecard_platforms, cuecard_dashboard;
grant select on chunk_terms, deleted_ordinals, listed_agents, term_lists to cuecard_search, cuecard_mcp, cuecard_platforms, cuecard_dashboard;
grant
  select (organization_id, key, embedding, high, middle, low, cosine_per_unit),
  insert (organization_id, key, embedding, high, middle, low, cosine_per_unit)
  on query_vectors to cuecard_search, cuecard_mcp, cuecard_platforms, cuecard_dashboard;
grant insert (organization_id, agent_id, id, question, call_id, mode, is_degraded, hits, answerable, milliseconds)
  on question_log to cuecard_search, cuecard_mcp, cuecard_platforms;
grant select (knowledge_base_enabled) on agents to cuecard_mcp, cuecard_platforms;
grant select (organization_id, agent_id, platform, secret) on signing_secrets to cuecard_platforms;

-- Callers' questions.

grant select on question_log to cuecard_questions;

-- Golden questions are checked before search serves a change.

grant select, update (passed, rank, checked_at) on golden_questions
  to cuecard_agents, cuecard_chunks, cuecard_crawler, cuecard_dashboard, cuecard_documents, cuecard_embedding, cuecard_questions;
grant insert (organization_id, agent_id, id, question, document_id, words, expects_nothing, within, on_failure, as_of, model,
    embedding, high, middle, low, cosine_per_unit),
  update (question, document_id, words, expects_nothing, within, on_failure, as_of),
  delete
  on golden_questions to cuecard_dashboard, cuecard_questions;
grant update (model, embedding, high, middle, low, cosine_per_unit) on golden_questions
  to cuecard_dashboard, cuecard_embedding, cuecard_questions;
grant select (organization_id, id, knowledge_version) on agents
  to cuecard_agents, cuecard_chunks, cuecard_crawler, cuecard_documents, cuecard_embedding, cuecard_questions;
grant select (organization_id, id, agent_id, title, warnings), update (warnings) on documents
  to cuecard_chunks, cuecard_embedding, cuecard_questions;
grant select (ignores_golden_questions) on documents to cuecard_embedding;
grant select (valid_from, valid_until) on documents to cuecard_agents, cuecard_chunks, cuecard_embedding;
grant update (warnings, ignores_golden_questions) on documents to cuecard_crawler, cuecard_documents, cuecard_dashboard;

-- Agents; the organization, its limits and its usage.

grant select (organization_id, id, name, knowledge_base_enabled, created_at) on agents to cuecard_agents;
grant select (organization_id, agent_id, status) on documents to cuecard_agents;
grant
  select (id, name, auto_delete_done_calls, requests_per_second, request_burst, tokens_per_day, documents_in_pipeline, stored_bytes, created_at),
  update (auto_delete_done_calls)
  on organizations to cuecard_organization, cuecard_dashboard;
grant select (organization_id, day, requests, question_tokens) on request_meters to cuecard_organization, cuecard_dashboard;
grant select on embedded_tokens to cuecard_organization, cuecard_dashboard;
grant select (organization_id, status, managed_by, stored_bytes) on documents to cuecard_organization;

-- The dashboard also has sessions, keys, the question log and calls.

grant execute on function open_session, find_session to cuecard_dashboard;
grant select (organization_id, token_hash), delete on sessions to cuecard_dashboard;
grant select, insert (source, failures), update (failures, since) on sign_in_attempts to cuecard_dashboard;
grant select (log_questions, keep_revisions), update (log_questions, keep_revisions) on organizations to cuecard_dashboard;
grant
  select (organization_id, id, name, permissions, expires_at, revoked_at, created_by, created_at),
  insert (organization_id, id, name, key_hash, permissions, expires_at, created_by),
  update (revoked_at)
  on api_keys to cuecard_dashboard;
grant select on agents to cuecard_dashboard;
grant select (created_at), delete on chunks to cuecard_dashboard;
grant delete on vectors to cuecard_dashboard;
grant select, delete on question_log to cuecard_dashboard;
grant select, delete, update (deleted_at) on calls to cuecard_dashboard;

-- The pipeline: extraction never completes a document, and can't read the text that it stored.

grant
  select (organization_id, id, status, managed_by, revision, source_url, content_hash, lease_token, lease_expires_at, attempt,
    retry_count, tries, next_attempt_at, request_id, requested_by, created_at, title_from_file, file_etag, upload_until,
    uploaded_at, resembles),
  update (title, title_terms, status, source_type, file_etag, uploaded_at, extracted_text, file_notes, pages_read, pages, content_hash,
    lease_token, lease_expires_at, attempt, retry_count, tries, next_attempt_at, waiting_reason, resend_at, error_code, error_message)
  on documents to cuecard_extraction;

grant
  select (organization_id, id, agent_id, title, content, content_hash, source_url, extracted_text, status, managed_by, revision,
    active_revision, lease_token, lease_expires_at, attempt, retry_count, tries, next_attempt_at, pending_since, request_id,
    requested_by, text_revision, served_at, may_replace, resembles, corrections),
  update (extracted_text, content_hash, status, active_revision, served_at, chunk_count, chunk_offsets, planned_chunk_count, error_message, error_code, lease_token,
    lease_expires_at, attempt, retry_count, tries, next_attempt_at, waiting_reason, resend_at, pending_since, resembles)
  on documents to cuecard_embedding;
grant
  select (organization_id, agent_id, document_id, revision, chunk_index, vector_id),
  insert (organization_id, id, agent_id, document_id, revision, chunk_index, content, token_count, metadata, vector_id, sketch),
  delete
  on chunks to cuecard_embedding;
grant select (organization_id, document_id, id, sketch), insert, delete on vectors to cuecard_embedding;
grant insert (organization_id, agent_id, document_id, revision, chunk_index, length, terms) on chunk_terms to cuecard_embedding;
grant select (id, tokens_per_day) on organizations to cuecard_embedding;
grant select (organization_id, day, question_tokens) on request_meters to cuecard_embedding;
grant select, insert, update (tokens) on embedded_tokens to cuecard_embedding;

-- The sweeper deletes old rows. It reads only ids, state and times of every organization's documents.

grant
  select (organization_id, id, source_url, upload_until, uploaded_at, content_hash, status, managed_by, lease_expires_at, attempt,
    retry_count, next_attempt_at, waiting_reason, resend_at, pending_since, request_id, requested_by, resembles),
  update (status, error_message, error_code, lease_token, lease_expires_at, next_attempt_at, waiting_reason, resend_at)
  on documents to cuecard_sweeper;
grant
  select (organization_id, id, next_check_at, resume_at, lease_token, lease_expires_at, resend_at, request_id, requested_by),
  update (resend_at)
  on sources to cuecard_sweeper;
grant select, delete, update (delete_at) on obsolete_files to cuecard_sweeper;
grant select (organization_id, api_key_id, key, created_at), delete on idempotency_keys to cuecard_sweeper;
grant select (organization_id, key, created_at), delete on query_vectors to cuecard_sweeper;
grant select (organization_id, agent_id, id, asked_at), delete on question_log to cuecard_sweeper;
grant select (id, keep_revisions) on organizations to cuecard_sweeper;
grant select (organization_id, document_id, revision, replaced_at), delete on document_revisions to cuecard_sweeper;
grant select (token_hash, expires_at), delete on sessions to cuecard_sweeper;
grant select (source, since), delete on sign_in_attempts to cuecard_sweeper;

grant select (organization_id, webhook_id, id, created_at), delete on webhook_deliveries to cuecard_sweeper;
grant execute on function tell_of_waiting_documents, tell_of_unanswered_questions to cuecard_sweeper;

-- Webhooks: roles that change one can't read its secret, and the role that delivers can change neither address nor secret.

grant
  select (organization_id, id, url, events, status, disabled_reason, failing_since, created_at),
  insert (organization_id, id, url, events, secret),
  update (url, events, secret, status, disabled_reason, failing_since),
  delete
  on webhooks to cuecard_dashboard, cuecard_organization;
grant
  select (organization_id, webhook_id, id, number, type, subject_id, data, status, attempts, next_attempt_at, response_status, error,
    delivered_at, created_at),
  insert (organization_id, webhook_id, id, type, subject_id, data, next_attempt_at),
  update (status, attempts, next_attempt_at, lease_token, queued_at)
  on webhook_deliveries to cuecard_dashboard, cuecard_organization;
grant
  select (organization_id, id, url, secret, previous_secret, previous_until, status, disabled_reason, failing_since),
  update (status, disabled_reason, failing_since)
  on webhooks to cuecard_delivery;
grant
  select,
  update (status, attempts, next_attempt_at, lease_token, response_status, error, delivered_at)
  on webhook_deliveries to cuecard_delivery;

-- Operators read what an export prints, delete what an erasure deletes, and change little else.

grant execute on function require_operator_action to cuecard_operator;
grant
  select (id, login, person, command, arguments, organization_id, started_at, ended_at, outcome, detail),
  insert (id, person, command, arguments, organization_id),
  update (organization_id, ended_at, outcome, detail)
  on operator_actions to cuecard_operator;
grant
  select (id, kind, organization_id, agent_id, requested_at, completed_at, counts),
  insert (id, kind, organization_id, agent_id, requested_at),
  update (completed_at, counts)
  on erasures to cuecard_operator;
grant
  select (id, name, auto_delete_done_calls, log_questions, keep_revisions, requests_per_second, request_burst, tokens_per_day,
    documents_in_pipeline, stored_bytes, created_at),
  insert (id, name),
  update (requests_per_second, request_burst, tokens_per_day, documents_in_pipeline, stored_bytes),
  delete
  on organizations to cuecard_operator;
grant select (organization_id, day, requests, question_tokens) on request_meters to cuecard_operator;
grant select on embedded_tokens to cuecard_operator;
grant select, insert (organization_id, id, name), delete on agents to cuecard_operator;
grant
  select (organization_id, id, name, permissions, expires_at, revoked_at, created_by, created_at),
  insert (organization_id, id, name, key_hash, permissions, expires_at, created_by),
  update (revoked_at),
  delete
  on api_keys to cuecard_operator;
grant
  select (organization_id, agent_id, platform, created_at),
  insert (organization_id, agent_id, platform, secret),
  update (secret, created_at),
  delete
  on signing_secrets to cuecard_operator;
grant
  select (organization_id, id, agent_id, title, external_id, metadata, source_id, content, content_hash, source_type, source_url, file_bytes,
    stored_bytes, extracted_text, file_notes, corrections, status,
    managed_by, revision, active_revision, chunk_count, chunk_offsets, searchable_chunk_count, valid_from, valid_until,
    planned_chunk_count, error_message, error_code, warnings, lease_expires_at, attempt, retry_count, tries, next_attempt_at,
    waiting_reason, resend_at, pending_since, request_id, version, edits, created_at, updated_at, resembles),
  update (title, content_hash, uploaded_at, extracted_text, file_notes, pages_read, pages, status, managed_by, revision, chunk_count, planned_chunk_count, error_message,
    error_code, lease_token, lease_expires_at, attempt, retry_count, tries, next_attempt_at, waiting_reason, resend_at,
    pending_since, request_id, requested_by, ignores_golden_questions),
  delete
  on documents to cuecard_operator;
grant select (organization_id, id, agent_id, document_id, revision, chunk_index, content, token_count, metadata, vector_id,
  created_at), delete on chunks to cuecard_operator;
grant select (organization_id, document_id, id, exponent, embedding), delete on vectors to cuecard_operator;
grant select (organization_id, agent_id, id, url, kind, include, exclude, refresh_hours, status, error_message, notice, checked_at,
  next_check_at, crawl, resume_at, lease_expires_at, attempt, failures, created_at), delete on sources to cuecard_operator;
grant select (organization_id, agent_id, source_id, address, found, left_out, gone_since, looked_at), delete on source_pages
  to cuecard_operator;
grant select (organization_id, agent_id, document_id, revision, chunk_index), delete on chunk_terms to cuecard_operator;
grant select (organization_id, agent_id, term, block), delete on term_lists to cuecard_operator;
grant select (organization_id, key), delete on query_vectors to cuecard_operator;
grant select, delete on document_revisions, golden_questions, question_log to cuecard_operator;
grant select (organization_id, api_key_id, key), delete on idempotency_keys to cuecard_operator;
grant select (source_url), insert (source_url, last_at), update (delete_at, last_at) on obsolete_files to cuecard_operator;
grant select, update (deleted_at), delete on calls to cuecard_operator;
grant select (organization_id, id, url, events, status, disabled_reason, created_at), delete on webhooks to cuecard_operator;
grant select, delete on webhook_deliveries to cuecard_operator;

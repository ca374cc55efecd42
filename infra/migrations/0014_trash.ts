import { buildIndex, inTransaction, type Step } from './steps.ts'

const deleting = 'cuecard_agents, cuecard_dashboard, cuecard_documents'

/** Documents and sources stay in a trash for 30 days. */
export const steps: readonly Step[] = [
  inTransaction(`
    alter table documents
      add column deleted_at timestamptz(3), -- the time of the move to the trash
      add column before_deletion jsonb; -- status, active_revision, external_id and source_id, to restore
    grant select (deleted_at) on documents to cuecard_agents, cuecard_chunks, cuecard_embedding, cuecard_mcp, cuecard_operator,
      cuecard_platforms, cuecard_questions, cuecard_search, cuecard_sweeper;
    grant update (deleted_at, before_deletion) on documents to ${deleting};
    grant select (before_deletion) on documents to cuecard_operator;
    grant select (agent_id), delete on documents to cuecard_sweeper;`),
  inTransaction(`
    create trigger keep_waiting_for_trashed after update on documents for each row
      when (old.deleted_at is null and new.deleted_at is not null) execute function keep_waiting();
    create or replace trigger tell_of_document after update on documents for each row
      when (old.status <> new.status and new.status in ('completed', 'error') and new.deleted_at is null)
      execute function tell_of_document();`),
  inTransaction(`
    alter table sources add column deleted_at timestamptz(3);
    grant update (deleted_at, address) on sources to cuecard_agents, cuecard_dashboard;
    grant select (organization_id, id, status) on sources to cuecard_documents;
    create policy own_followed on sources for select to cuecard_documents
      using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid));
    -- A source moves its documents to the trash and restores them.
    grant select (status, managed_by, revision, before_deletion, lease_token, source_type, error_message, error_code),
      update (status, active_revision, external_id, source_id, source_type, lease_token, lease_expires_at, error_message, error_code,
        attempt, retry_count, tries, next_attempt_at, waiting_reason, pending_since, resend_at)
      on documents to cuecard_agents;
    grant execute on function admit_documents to cuecard_agents;`),
  buildIndex('documents_in_trash', 'on documents (organization_id, agent_id, deleted_at) where deleted_at is not null'),
  buildIndex('documents_in_trash_by_age', 'on documents (deleted_at) where deleted_at is not null'),
  buildIndex('documents_kept_by_status', 'on documents (organization_id, agent_id, status) where deleted_at is null'),
  inTransaction(`
    create or replace function admit_documents(own uuid, agent uuid, added integer, processed integer) returns boolean
      language plpgsql volatile security definer set search_path = public, pg_temp as $$
    declare
      held bigint := (
        select count(*) from documents where organization_id = own and agent_id = agent and deleted_at is null);
    begin
      if own <> nullif(current_setting('cuecard.organization_id', true), '')::uuid then raise insufficient_privilege; end if;
      if held + added > 5000 then
        perform pg_advisory_xact_lock(hashtextextended(agent::text, 0));
        held := (select count(*) from documents where organization_id = own and agent_id = agent and deleted_at is null);
      end if;
      if held + added > 10000 then
        raise check_violation using constraint = 'agents_document_limit', message = 'the agent has too many documents';
      end if;
      if processed > 0 then perform admit_to_pipeline(own, processed); end if;
      return true;
    end $$;
    -- Shows the planner that nearly all documents are kept.
    analyze documents (deleted_at);`),
  {
    isTransaction: false,
    async run(client) {
      await client.query('drop index concurrently if exists documents_by_status')
    },
  },
]

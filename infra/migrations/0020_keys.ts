import { inTransaction } from './steps.ts'

const statements = [
  // An id names one key, whatever its organization: an operator revokes by it. The key that made another, in the dashboard.
  `alter table api_keys
    add constraint api_keys_id unique (id),
    add column created_by uuid,
    add constraint api_keys_created_by_fkey foreign key (organization_id, created_by)
      references api_keys (organization_id, id) on delete set null (created_by)`,
  `grant select (created_by) on api_keys to cuecard_dashboard, cuecard_operator`,
  `grant insert (created_by) on api_keys to cuecard_dashboard, cuecard_operator`,

  // A key has 20 sessions: the oldest end. Sign-ins with one key wait for each other, so that each counts those before it.
  `create or replace function open_session(key_hash bytea, token_hash bytea, seconds integer) returns setof uuid
    language plpgsql volatile security definer set search_path = public, pg_temp as $$
  #variable_conflict use_column
  declare
    key record;
  begin
    select k.organization_id, k.id into key from api_keys k
      where k.key_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      for no key update;
    if not found then return; end if;
    delete from sessions s where s.token_hash in (
      select n.token_hash from sessions n
      where (n.organization_id, n.api_key_id) = (key.organization_id, key.id)
      order by n.created_at desc, n.token_hash offset 19);
    return query
      insert into sessions (organization_id, api_key_id, token_hash, expires_at)
      values (key.organization_id, key.id, $2, now() + make_interval(secs => $3))
      returning organization_id;
  end $$`,
]

export const steps = [inTransaction(...statements)]

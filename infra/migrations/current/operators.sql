-- Policies call it: an operator changes nothing without an open action. It throws where a policy would silently hide the rows.
create or replace function require_operator_action() returns boolean
  language plpgsql stable set search_path = public, pg_temp as $$
begin
  if not exists (select from operator_actions
      where login = session_user and outcome is null and started_at > now() - interval '7 days') then
    raise insufficient_privilege using message = 'an operator changes nothing without an open row in operator_actions';
  end if;
  return true;
end $$;

-- Reads the setting without a lock, because every done call would hold it until its commit. A call that is marked done during a PATCH
-- of the setting counts as either before or after it.
create or replace function move_done_call_to_trash() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_relid <> 'calls'::regclass then raise insufficient_privilege; end if;
  if (select auto_delete_done_calls from organizations where id = new.organization_id) then
    new.deleted_at := coalesce(new.deleted_at, now());
  end if;
  return new;
end $$;
create or replace trigger move_inserted_done_call_to_trash before insert on calls for each row
  when (new.done_at is not null) execute function move_done_call_to_trash();
create or replace trigger move_done_call_to_trash before update on calls for each row
  when (old.done_at is null and new.done_at is not null) execute function move_done_call_to_trash();

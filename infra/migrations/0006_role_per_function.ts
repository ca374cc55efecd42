import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Reads the setting without a lock: one would be held by every done call until its commit, and a PATCH of the setting would
  // wait for all of them. It needs none, because PATCH reads nothing of calls. A call marked as done while a PATCH is on its
  // way reads either the old setting, and comes out as if it had been marked before, or the new one, and comes after it.
  // Either is an order in which both could have happened one by one, even when the call commits last. A call marked after the
  // answer to PATCH reads what that has committed.
  `create or replace function move_done_call_to_trash() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if (select auto_delete_done_calls from organizations where id = new.organization_id) then
      new.deleted_at := coalesce(new.deleted_at, now());
    end if;
    return new;
  end $$`,
]

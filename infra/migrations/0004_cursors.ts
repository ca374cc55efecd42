import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Signs the cursors of an organization's lists. The default is volatile, so each row that is there gets a key of its own;
  // two uuids hold 244 random bits, and need no extension.
  `alter table organizations add column cursor_key bytea not null
    default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')`,

  // A key is looked up by its hash before its organization is known. With the owner's rights: who looks one up need not be
  // allowed to read the others, nor what signs another organization's cursors.
  `create function find_api_key(key_hash bytea)
    returns table (id uuid, organization_id uuid, permissions text[], expires_at timestamptz, cursor_key bytea)
    language sql stable security definer set search_path = public, pg_temp
    begin atomic
      select k.id, k.organization_id, k.permissions, k.expires_at, o.cursor_key
      from api_keys k join organizations o on o.id = k.organization_id
      where k.key_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
    end`,
  `revoke execute on function find_api_key(bytea) from public`,
]

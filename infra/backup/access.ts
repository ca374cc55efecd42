import type { ClientBase } from 'pg'

/**
 * Who may do what in the schema `public`: grants on tables, columns, functions and the schema, policies, and where row-level security is on.
 * A line each, without the owner, who differs between servers.
 */
export async function accessOf(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    with granted as (
      select relname as thing, relowner as owner, acl.* from pg_class, aclexplode(relacl) acl where relnamespace = 'public'::regnamespace
      union all
      select relname || '.' || attname, relowner, acl.* from pg_class join pg_attribute on attrelid = pg_class.oid, aclexplode(attacl) acl
        where relnamespace = 'public'::regnamespace
      union all
      select p.oid::regprocedure::text, proowner, acl.* from pg_proc p, aclexplode(proacl) acl where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
      union all
      select 'schema', nspowner, acl.* from pg_namespace, aclexplode(nspacl) acl where nspname = 'public'
    )
    select format('%s: %s to %s', thing, privilege_type, case grantee when 0 then 'public' else grantee::regrole::text end) as line
      from granted where grantee <> owner and grantee <> grantor
    union
    select format('%s: policy %s for %s to %s using %s check %s', tablename, policyname, cmd, roles, qual, with_check)
      from pg_policies where schemaname = 'public'
    union
    select format('%s: row-level security', relname) from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity
    order by 1`)
  return rows.map(({ line }) => line)
}

/** Roles that grants and policies name, and that have to be there before a restore. */
export async function grantedRoles(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ rolname: string }>(`
    select rolname from pg_roles where rolname <> current_user and not rolsuper and exists (
      select from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = pg_roles.oid and deptype in ('a', 'r')
        and dbid = (select oid from pg_database where datname = current_database()))
    order by 1`)
  return rows.map(({ rolname }) => rolname)
}

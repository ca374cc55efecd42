-- True if a source is due in another organization that has no crawl: it goes before a further crawl of this one.
create or replace function another_organization_waits(own uuid) returns boolean
  language sql stable security definer set search_path = public, pg_temp as $$
  select exists (
    select from sources s
    where s.organization_id <> own and coalesce(s.resume_at, s.next_check_at) <= now()
      and not exists (select from sources o where o.organization_id = s.organization_id and o.lease_expires_at > now()))
$$;

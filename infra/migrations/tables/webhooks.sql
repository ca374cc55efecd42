create table webhooks (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null,
  url text not null,
  events text[] not null,
  secret bytea not null check (octet_length(secret) between 24 and 64), -- signing needs the secret itself, so it is not hashed
  previous_secret bytea, -- also signs
  previous_until timestamptz check ((previous_until is null) = (previous_secret is null)),
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('requested', 'gone', 'failing')),
  failing_since timestamptz, -- the first failure since the last success
  digested_on date not null default (now() at time zone 'utc')::date,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  check ((status = 'disabled') = (disabled_reason is not null))
);
create index webhooks_enabled on webhooks (organization_id, id) where status = 'enabled';
create index webhooks_to_digest on webhooks (digested_on) where status = 'enabled' and 'questions.unanswered' = any (events);

-- The outbox: a row is an event for one webhook. The foreign key is the organization, because a webhook may have a million rows. Rows of
-- a deleted webhook are never claimed, and their age purges them.
create table webhook_deliveries (
  organization_id uuid not null references organizations (id) on delete cascade,
  webhook_id uuid not null,
  id uuid not null, -- the receiver's webhook-id
  number bigint not null generated always as identity, -- orders the events of a subject
  type text not null,
  subject_id uuid not null,
  data jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz, -- null behind an earlier event of the subject; the lease's end during an attempt
  lease_token uuid,
  response_status integer,
  error text,
  queued_at timestamptz not null default now(),
  delivered_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, webhook_id, id),
  check (status = 'pending' or next_attempt_at is null and lease_token is null)
);
-- Negative, so that the planner doesn't use it to find a subject's first or last event among a million of the webhook.
create index webhook_deliveries_of_webhook on webhook_deliveries (organization_id, webhook_id, (-number));
create index webhook_deliveries_due on webhook_deliveries (organization_id, webhook_id, next_attempt_at)
  where next_attempt_at is not null;
create index webhook_deliveries_of_subject on webhook_deliveries (organization_id, webhook_id, subject_id, number)
  where status = 'pending';
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { toStored } from '../../shared/embedding/stored-vectors.ts'
import { termsVersion } from '../../shared/terms/packed-terms.ts'
import { buffersOf, plansOf, useStatementPlans } from '../support/database/statement-plans.ts'
import { axis } from '../support/provider/axis.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()
const { batchesOf } = useStatementPlans()

const organizations = 5000
const documentsEach = 20

// The embedded database computes in this process, which would answer nobody else for seconds.
describe.runIf(process.env.DATABASE_URL)('on a server', () => {
  /** A stage of 100,000 documents, in whose tables nothing waits for the sweeper. */
  beforeAll(async () => {
    await stand.pool.query(`
    set session_replication_role = replica;
    insert into organizations (id, name) select md5('o' || o)::uuid, 'Shop' from generate_series(1, ${organizations}) o;
    insert into agents (organization_id, id, name, holidays, holidays_due_at, ready_document_count)
      select id, id, 'Front desk', 'GB', now() + interval '1 hour', ${documentsEach} from organizations;
    insert into api_keys (organization_id, id, name, key_hash, permissions)
      select id, id, 'Key', sha256(id::text::bytea), '{kb:read}' from organizations;
    insert into webhooks (organization_id, id, url, events, secret)
      select id, id, 'https://example.org/hook', '{document.failed,questions.unanswered}', sha256('secret') from organizations;
    insert into documents (organization_id, id, agent_id, title, content, content_hash, status, managed_by, active_revision, chunk_count)
      select o.id, md5(o.id::text || i)::uuid, o.id, 'Opening hours', 'We are open.', sha256('We are open.'), 'completed',
        'service', 1, 1
      from organizations o, generate_series(1, ${documentsEach}) i;
    insert into packs (organization_id, agent_id, document_id, version, revision, title, terms_version, chunks)
      select organization_id, agent_id, id, 1, active_revision, title, ${termsVersion}, '' from documents;
    insert into packs (organization_id, agent_id, document_id, version, unserved_at)
      select organization_id, agent_id, gen_random_uuid(), 2, now() from documents limit 20000;
    insert into document_revisions (organization_id, document_id, revision, text_revision, agent_id, title, created_at)
      select organization_id, id, 1, 1, agent_id, title, now() from documents limit 20000;
    insert into sources (organization_id, id, agent_id, url, address, kind, refresh_hours, status, next_check_at)
      select id, id, id, 'https://example.org', 'https://example.org', 'page', 24, 'ready', now() + interval '1 hour' from organizations;
    insert into idempotency_keys (organization_id, api_key_id, key, request_hash, owner)
      select id, id, 'key ' || i, sha256('request'), id from organizations, generate_series(1, 4) i;
    insert into sessions (organization_id, api_key_id, token_hash, expires_at)
      select id, id, sha256(id::text::bytea), now() + interval '1 hour' from organizations;
    insert into question_log (organization_id, agent_id, id, question, mode, is_degraded, hits, answerable, milliseconds)
      select id, id, md5(id::text || i)::uuid, 'Are you open?', 'hybrid', false, '[]', 1, 20 from organizations, generate_series(1, 4) i;
    insert into webhook_deliveries (organization_id, webhook_id, id, type, subject_id, data, status)
      select organization_id, id, md5(id::text || i)::uuid, 'document.failed', id, '{}', 'delivered' from webhooks, generate_series(1, 4) i;
    reset session_replication_role`)
    await sql`insert into query_vectors (organization_id, key, embedding, created_at)
    select id, sha256(id::text::bytea), ${toStored(axis(1)).embedding}::halfvec(1536), now() - interval '1 day' from organizations limit 1000`.execute(
      stand.db,
    )
    await stand.pool.query('vacuum analyze')
  })

  /** A few look-ups in indexes, and a function's body, which lies on one page or two; the smallest of the tables above has 70 pages. */
  const maxBuffers = 25

  test('a sweep that finds nothing to do among 100,000 documents reads a few pages a statement', async () => {
    const batches = await batchesOf(() => stand.sweep())
    const read: Record<string, number> = {}
    for (const batch of batches) {
      const login = new URL(new Headers(batch.init.headers).get('neon-connection-string')!).username
      expect(login).toMatch(/^cuecard_sweeper/)
      const statements = batch.queries.filter(({ query }) => !query.includes('set_config('))
      // The first run in a session also reads the catalog.
      await plansOf(stand.pool, batch, 'analyze, buffers,')
      const plans = await plansOf(stand.pool, batch, 'analyze, buffers,')
      expect(plans).toHaveLength(statements.length)
      for (const [i, { query }] of statements.entries()) read[query.replaceAll(/\s+/g, ' ')] = buffersOf(plans[i]!)
    }
    expect(Object.keys(read).length).toBeGreaterThan(25)
    expect(Object.entries(read).filter(([, buffers]) => buffers > maxBuffers)).toEqual([])
  })
})

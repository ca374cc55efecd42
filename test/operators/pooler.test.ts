import type { PoolClient } from 'pg'
import { expect, test } from 'vitest'
import { neonHostOf } from '../../infra/neon-host.ts'
import { axis } from '../support/provider/axis.ts'
import { useStand } from '../support/stand/stand.ts'
import { isOnServer } from '../support/tools/effort.ts'

const stand = useStand()

/** The state that a request would leave for the next one on the same server connection. */
const sessionState = `
  select 'setting ' || name as left_behind from pg_settings where source = 'session' and name not in ('role', 'session_authorization')
  union all select 'the organization' where current_setting('cuecard.organization_id', true) <> ''
  union all select 'advisory lock' from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
  union all select 'prepared statement ' || name from pg_prepared_statements
  union all select 'channel ' || pg_listening_channels()
  union all select 'temporary table ' || relname from pg_class where relpersistence = 't' and pg_table_is_visible(oid)
  union all select 'cursor ' || name from pg_cursors where is_holdable`

/** Sessions of a server are not the owner's. There, requests go through PgBouncer itself. */
const isEmbedded = !isOnServer

test.runIf(isEmbedded)(
  'no request leaves anything in the session, so a transaction pooler may give each transaction another',
  async () => {
    const leftBehind: string[] = []
    let sessions = 0
    /** Looks when the local endpoint is done with a request. */
    const watch = (client: PoolClient) => {
      const query = client.query.bind(client)
      client.query = (async (...args: Parameters<typeof query>) => {
        if (String(args[0]).startsWith('rollback; close all')) {
          sessions++
          const { rows } = await query<{ left_behind: string }>(sessionState)
          leftBehind.push(...rows.map((row) => row.left_behind))
          client.query = query
        }
        return await query(...args)
      }) as unknown as typeof client.query
    }
    const { call, knowledgeBase, agentId } = await stand.tenant()
    stand.pool.on('acquire', watch)
    const { body } = await call('POST', knowledgeBase, { title: 'T', content: 'Open.' }, { 'idempotency-key': 'k' })
    await stand.deliver()
    await call('POST', `${knowledgeBase}/search`, { query: 'open' })
    await call('GET', `${knowledgeBase}/${body.id}/chunks`)
    await call('POST', `${knowledgeBase}/${body.id}/chunks`, {
      chunks: [{ chunk_index: 0, content: 'own', embedding: axis(1) }],
    })
    await call('PATCH', `${knowledgeBase}/${body.id}`, { status: 'completed' })
    await call('GET', `/v1/agents/${agentId}`)
    await call('PATCH', '/v1/organization', { auto_delete_done_calls: true })
    await call('DELETE', `${knowledgeBase}/${body.id}`)
    await stand.sweep()
    stand.pool.off('acquire', watch)
    expect(leftBehind).toEqual([])
    expect(sessions).toBeGreaterThan(10)
  },
)

test('the first label of a Neon host tells direct URLs from pooled ones', () => {
  const of = (host: string) => neonHostOf(`postgresql://u:p@${host}/db`)
  expect(of('ep-cool-1.eu-central-1.aws.neon.tech')).toBe('direct')
  expect(of('ep-cool-1-pooler.eu-central-1.aws.neon.tech')).toBe('pooled')
  expect(of('db.example.com')).toBe(undefined)
  expect(of('x-pooler.neon.tech.example.com')).toBe(undefined)
})

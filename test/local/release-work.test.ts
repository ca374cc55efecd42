import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sweep } from '../../functions/sweeper/sweep.ts'
import { releaseWork } from '../../infra/local/stand.ts'
import { useStand } from '../support/stand/stand.ts'
import { keptQueue, sweeperWith } from '../support/stand/worker.ts'

const stand = useStand()

test('a predecessor’s claimed and queued documents are due at once; callers’ and finished documents stay unchanged', async () => {
  const tenant = await stand.tenant()
  const create = async (title: string, content?: string) => {
    const { body } = await tenant.call('POST', tenant.knowledgeBase, { title, content })
    return body.id as string
  }
  const held = await create('Held', 'A text.')
  const exhausted = await create('Exhausted', 'A text.')
  const waiting = await create('Waiting', 'A text.')
  await create('Own')
  const ended = await create('Ended', 'A text.')
  await sql`update documents set status = 'processing', lease_token = gen_random_uuid(),
    lease_expires_at = now() + interval '150 seconds', attempt = case title when 'Held' then 2 else 5 end
    where id in (${held}, ${exhausted})`.execute(stand.db)
  await sql`update documents set retry_count = 3, next_attempt_at = now() + interval '15 minutes',
    resend_at = now() + interval '17 minutes' where id = ${waiting}`.execute(stand.db)
  await sql`update documents set status = 'error', error_code = 'chunk_refused', error_message = 'No.'
    where id = ${ended}`.execute(stand.db)

  await releaseWork(stand.db)
  const { queue, sent } = keptQueue()
  await sweep(sweeperWith(queue))

  expect(sent.map(({ id }) => id).sort()).toEqual([held, waiting].sort())
  const { rows } =
    await sql`select title, status, attempt, retry_count, error_code from documents order by title`.execute(stand.db)
  expect(rows).toEqual(
    [
      ['Ended', 'error', 0, 0, 'chunk_refused'],
      ['Exhausted', 'error', 5, 0, 'attempts_exhausted'],
      ['Held', 'pending', 2, 0, null],
      ['Own', 'pending', 0, 0, null],
      ['Waiting', 'pending', 0, 3, null],
    ].map(([title, status, attempt, retry_count, error_code]) => ({ title, status, attempt, retry_count, error_code })),
  )
})

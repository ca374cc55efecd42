import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../shared/ids.ts'
import { away, newWebhook, useReceiver } from '../support/http/receiver.ts'
import { useStand } from '../support/stand/stand.ts'
import { isThorough } from '../support/tools/effort.ts'

const stand = useStand()
const receiver = useReceiver(stand)

/** The number of documents, with twenty events each. */
const count = isThorough ? 500 : 50

test(`none of ${20 * count} events is lost while the receiver is away for six hours, and those of a document arrive in order`, async () => {
  const { tenant } = await newWebhook(stand)
  const documents = Array.from({ length: count }, newId)
  for (let revision = 1; revision <= 20; revision++)
    await sql`select tell(${tenant.organizationId}, 'document.completed', d.id, jsonb_build_object('document_id', d.id, 'revision', ${revision}::int))
      from unnest(${documents}::uuid[]) d(id)`.execute(stand.db)
  receiver.answers(away)
  const refused = new Map<string, string>()
  for (let minutes = 0; minutes < 6 * 60; minutes += 15) {
    await receiver.run()
    receiver.pass(15 * 60)
  }
  for (const { id, event } of receiver.received) refused.set(id, `${event.data.document_id} ${event.data.revision}`)
  // Only the first event of each document was tried.
  expect(refused.size).toBe(count)
  receiver.received.length = 0
  receiver.answers(() => 204)
  for (let hours = 0; hours < 24; hours++) {
    await receiver.run()
    receiver.pass(3600)
  }
  const revisions = new Map(documents.map((id) => [id, [] as number[]]))
  for (const { id, event } of receiver.received) {
    const { document_id, revision } = event.data
    revisions.get(document_id)!.push(revision)
    if (refused.has(id)) expect(refused.get(id)).toBe(`${document_id} ${revision}`)
  }
  expect(receiver.received).toHaveLength(20 * count)
  const inOrder = Array.from({ length: 20 }, (_, i) => i + 1)
  for (const seen of revisions.values()) expect(seen).toEqual(inOrder)
})

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { printHalfvec } from '../../shared/embedding/halfvec.ts'
import { dimensions } from '../../shared/embedding/vectors.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()

/** All 63,488, in vectors of 1536. */
function* finiteHalves(): Generator<Uint16Array> {
  const infinity = 0x7c00
  const all = Uint16Array.from({ length: 2 * infinity }, (_, i) => (i % 2) * 0x8000 + (i >> 1))
  for (let from = 0; from < all.length; from += dimensions) yield all.slice(from, from + dimensions)
}

test('pgvector reads back each finite half bit by bit from our text', async () => {
  const sent = [...finiteHalves()]
  const texts = sent.map((bits) => printHalfvec(bits))
  const { rows } = await sql<{ bytes: string }>`
    select encode(halfvec_send(text::halfvec), 'hex') as bytes from unnest(${texts}::text[]) with ordinality as sent(text, i)
    order by i`.execute(stand.db)
  for (const [i, bits] of sent.entries()) {
    const header = 4
    const received = Buffer.from(rows[i]!.bytes, 'hex').subarray(header).swap16()
    expect(received.equals(Buffer.from(bits.buffer))).toBe(true)
  }
})

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { useStand } from '../../support/stand/stand.ts'
import { oddValues } from './generate/faulty.ts'
import { anyJson, text } from './generate/valid.ts'
import { Ledger } from './ledger.ts'
import { cases, playAll } from './play.ts'
import { useRows } from './rows.ts'
import { makeWorld } from './world.ts'

const stand = useStand()
let ledger: Ledger
beforeAll(async () => {
  ledger = new Ledger(await makeWorld(stand))
})
const rows = useRows(() => stand.pool)

const organization = fc.constantFrom('<mine.organization>', '<theirs.organization>', '<never.id>', '<mine.agent>', '')
/** Ids of A. A message is foreign if it names B, or none of these documents. */
const ids = '<mine.completed> <mine.file> <mine.deleted> <never.id> <mine.organization>'.split(' ')
const document = fc.constantFrom(...ids, '')
const odd = <T>(sound: fc.Arbitrary<T>) => fc.oneof({ weight: 5, arbitrary: sound as fc.Arbitrary<unknown> }, oddValues)

const ofRequest = { request_id: odd(text(0, 10)), api_key_id: odd(text(0, 10)) }
const work = fc.record(
  { v: odd(fc.constant(1)), organization_id: odd(organization), document_id: odd(document), ...ofRequest },
  { requiredKeys: [] },
)
const message = fc.oneof(
  ...[work, anyJson].map((body) => body.map((value) => JSON.stringify(value))),
  fc.constantFrom(
    ...['', '{', 'null', '[]', '['.repeat(100_000), `{"v":1${',"x":1'.repeat(20_000)}}`, '{"v":1,"v":2}', '\\ud800'],
  ),
  text(0, 40),
)

/** True if the message names a document of that organization that is or will be a file or a text. */
function isOfTheirs(body: string): boolean {
  const { A, B } = ledger.world
  return [A, B].some(({ names }) =>
    ['completed', 'file'].some((name) => body.includes(names.organization!) && body.includes(names[name]!)),
  )
}

describe.each(['embedding', 'extraction'] as const)('of the %s Lambda', (name) => {
  test(`${name}: ${cases} messages of anybody are dropped, and change nothing`, { timeout: 3_600_000 }, async () => {
    await playAll(`${name}:`, cases, fc.array(message, { minLength: 1, maxLength: 3 }), async (all) => {
      const bodies = all.map((body) => ledger.name('A', body))
      try {
        const { batchItemFailures } = await stand[name](...bodies)
        const changed = await rows.changed()
        if (bodies.some(isOfTheirs)) return
        expect(batchItemFailures).toEqual([])
        expect(changed).toEqual([])
      } finally {
        await rows.restore()
      }
    })
  })
})

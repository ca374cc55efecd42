import { expect, test } from 'vitest'
import { chunk, chunking } from '../../shared/chunking/chunker.ts'
import { inTurns } from '../../shared/concurrency/steps.ts'
import { patterns } from '../attack/readers/patterns.ts'

const size = { targetTokens: 400, overlapTokens: 60 }

test.each(['"A"', 'random words', '" "', '"a\\n"'])(
  'while a long text of %s is cut, the event loop turns, and the chunks are the same',
  async (pattern) => {
    const text = patterns[pattern]!(2_000_000)
    let turns = 0
    let isCut = false
    const count = () => {
      turns++
      if (!isCut) setImmediate(count)
    }
    count()
    const chunks = await inTurns(chunking(text, size))
    isCut = true
    // Each takes hundreds of milliseconds on any machine.
    expect(turns).toBeGreaterThan(3)
    expect(chunks).toEqual(chunk(text, size))
  },
)

import { expect, test } from 'vitest'
import { excessOf, unlessRefused } from './readers/measure.ts'
import { patterns } from './readers/patterns.ts'
import { readers } from './readers/readers.ts'

test.each(Object.entries(readers))(
  'the time of the reader of %s grows with the text, whatever it repeats',
  { timeout: 600_000 },
  async (name, { read }) => {
    await unlessRefused(() => read('Open on Sunday, 1 May.\n'.repeat(100)))
    const excesses: string[] = []
    for (const pattern of Object.keys(patterns)) excesses.push((await excessOf(name, pattern)) ?? '')
    expect(excesses.filter(Boolean)).toEqual([])
  },
)

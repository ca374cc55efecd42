import { expect, test } from 'vitest'
import { excessOf } from './readers/measure.ts'

test.each([
  ['the cleaner of texts', 'marks out of order'],
  ['the terms of a passage', 'marks by turns'],
  ['the words of a question', '"ﷺ"'],
  ['a file of CSV', '"1,0"'],
  ['a file of CSV', 'a long cell'],
  ['a file of CSV', 'a table with a long row'],
  ['a correction of a text', '"\\n"'],
  ['a correction of a text', '". "'],
  ['a correction of a passage', '"a "'],
  ['a marked text on a screen', '"1 "'],
  ['a web page in its title', '"a:\\n- b\\n\\n"'],
])('%s reads a megabyte that repeats %s in linear time', async (reader, pattern) => {
  expect(await excessOf(reader, pattern)).toBeUndefined()
})

import { describe, expect, test } from 'vitest'
import { extractText } from '../../functions/extraction/text/extract-text.ts'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { Unreadable } from '../../shared/text/unreadable.ts'
import { isThorough } from '../support/tools/effort.ts'
import { hostileFiles, slowHostileFiles } from './hostile-files.ts'
import { hostilePictures, slowHostilePictures } from './hostile-pictures.ts'
import { docxOf, paragraph } from './office-files.ts'

const organization = newId() as OrganizationId
const harmless = docxOf(paragraph('Open on Sundays'))
const slow = isThorough ? [...slowHostileFiles, ...slowHostilePictures] : []
const files = [...hostileFiles, ...hostilePictures, ...slow]

// The minute also covers making the file and reading the next one.
describe('a hostile file ends within a minute, without harm to the next file:', () => {
  test.each(files)('%s', { timeout: 90_000 }, async (_, fileName, outcome, make) => {
    const ending = await extractText(make(), fileName, organization).then(
      ({ text }) => text,
      (error: unknown) => (error instanceof Unreadable ? error : Promise.reject(error)),
    )
    const isExpected = (expected: string | RegExp) =>
      ending instanceof Unreadable ? ending.code === expected : expected instanceof RegExp && expected.test(ending)
    expect([outcome].flat().some(isExpected), String(ending).slice(0, 200)).toBe(true)
    if (ending instanceof Unreadable) expect(ending.message).toMatch(/^.+\. .*(Upload|upload|Export|Save|Unpack)/)
    const next = await extractText(harmless, 'next.docx', organization)
    expect(next).toEqual({ text: 'Open on Sundays', sourceType: 'docx', pageStarts: [], notes: [] })
  })
})

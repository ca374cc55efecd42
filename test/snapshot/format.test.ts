import { expect, test } from 'vitest'
import { formatVersion } from '../../functions/snapshot/schemas.ts'
import { termsVersion } from '../../shared/terms/packed-terms.ts'

test('terms that are cut in another way are another format: an older library would look for other ones', () => {
  expect({ formatVersion, termsVersion }).toEqual({ formatVersion: 2, termsVersion: 2 })
})

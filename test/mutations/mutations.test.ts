import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutations } from './all.ts'
import type { Mutation } from './mutation.ts'

const root = join(import.meta.dirname, '../..')

const those = (are: (mutation: Mutation) => boolean) => mutations.filter(are).map(({ safeguard }) => safeguard)

test('the text of every safeguard is found once in its file', () => {
  expect(those(({ file, find }) => readFileSync(join(root, file), 'utf8').split(find).length !== 2)).toEqual([])
})

test('every safeguard is watched by tests that exist', () => {
  expect(those(({ tests }) => tests.length === 0)).toEqual([])
  expect(mutations.flatMap(({ tests }) => tests).filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('no two safeguards have the same name', () => {
  expect(those(({ safeguard }) => mutations.filter((other) => other.safeguard === safeguard).length > 1)).toEqual([])
})

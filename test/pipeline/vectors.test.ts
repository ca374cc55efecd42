import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromStored, toStored } from '../../shared/embedding/stored-vectors.ts'
import { dimensions, fromBase64, toBase64, vectorFault } from '../../shared/embedding/vectors.ts'
import { axis } from '../support/provider/axis.ts'

/** Valid vectors whose numbers differ by up to 2^60. */
const number = fc.tuple(fc.double({ min: -2, max: 2, noNaN: true }), fc.integer({ min: -60, max: 0 }))
const vector = fc
  .tuple(fc.array(number, { minLength: 1, maxLength: 40 }), fc.integer({ min: -17, max: 17 }))
  .map(([numbers, exponent]) =>
    Float32Array.from({ length: dimensions }, (_, i) => {
      const [number, smaller] = numbers[i % numbers.length]!
      return number * 2 ** (exponent + smaller)
    }),
  )
  .filter((numbers) => vectorFault(numbers) === undefined)
const forVectors = (numRuns: number, check: (numbers: Float32Array) => void) =>
  fc.assert(
    fc.property(vector, (numbers) => void check(numbers)),
    { numRuns },
  )

describe('a stored vector', () => {
  test('keeps each number within 2^-11 of itself or 2^-39 of the largest kept magnitude', () =>
    forVectors(50, (numbers) => {
      const { embedding, exponent } = toStored(numbers)
      const stored = fromStored(embedding, exponent)
      const largest = stored.reduce((max, number) => Math.max(max, Math.abs(number)), 0)
      const excess = stored.map((kept, i) => {
        const bound = Math.max(Math.abs(numbers[i]!) * 2 ** -11, largest * 2 ** -39)
        return Math.abs(kept - numbers[i]!) - bound
      })
      expect(excess.every((number) => number <= 0)).toBe(true)
    }))

  test.each([1e-6, 2 ** -19, 0.1, 0.9999999, 1, 1.5, 2 ** 19 - 0.04, 2 ** 19, 1e6, -0.0156211853, 0.49993896484375])(
    'has its largest half in [16384, 32768) and is stored again as the same text, with numbers of %d',
    (length) => {
      const stored = toStored(axis(3).map((number) => number * length))
      const largest = Math.max(...JSON.parse(stored.embedding).map(Math.abs))
      expect(largest).toBeGreaterThanOrEqual(16384)
      expect(largest).toBeLessThan(32768)
      expect(toStored(fromStored(stored.embedding, stored.exponent))).toEqual(stored)
    },
  )

  test('is stored again as the same text', () =>
    forVectors(20, (numbers) => {
      const stored = toStored(numbers)
      expect(toStored(fromStored(stored.embedding, stored.exponent))).toEqual(stored)
    }))
})

describe('base64', () => {
  test('returns the same float32s', () =>
    forVectors(20, (numbers) => expect(fromBase64(toBase64(numbers))).toEqual({ vector: numbers })))

  test('is little-endian', () => {
    const bytes = Buffer.from(toBase64(Float32Array.from(axis(0))), 'base64')
    expect(bytes.subarray(0, 8).toString('hex')).toBe('0000803f00000000')
  })
})

import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { sketchOf } from '../../shared/embedding/sketch.ts'
import { dimensions } from '../../shared/embedding/vectors.ts'
import { differing } from '../database/searched.ts'
import { axis } from '../support/provider/axis.ts'

/** Numbers of [-1, 1), the same on every machine. */
function uniform(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 31 - 1
  }
}

function dense(seed: number): number[] {
  const random = uniform(seed)
  return Array.from({ length: dimensions }, () => random() + random() + random())
}

const add = (a: number[], b: number[], weight = 1) => a.map((number, i) => number + weight * b[i]!)

function angle(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
    Array.from(x).reduce((sum, number, i) => sum + number * y[i]!, 0)
  return Math.acos(Math.min(1, dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))))
}

const mean = dense(99)
const texts = [
  'When do you open on Sunday?',
  'On Sunday we are closed. On Mondays we open at nine.',
  'Returns take 5 days',
]
const lexical = await lexicalEmbedder().embed(texts)
const pairs: Record<string, [ArrayLike<number>, ArrayLike<number>]> = {
  opposite: [dense(1), dense(1).map((number) => -number)],
  unrelated: [dense(1), dense(2)],
  near: [dense(1), add(dense(1), dense(2), 0.1)],
  'with a strong common mean': [add(mean, dense(1), 0.3), add(mean, dense(2), 0.3)],
  'with one strong common number': [add(dense(1), axis(7), 60), add(dense(2), axis(7), 60)],
  'of a question and an answer': [lexical[0]!, lexical[1]!],
  'of unrelated texts': [lexical[0]!, lexical[2]!],
  'along two axes': [axis(0), axis(1535)],
  'with two numbers each': [add(axis(3), axis(700)), add(axis(700), axis(1100), -1)],
}

describe('the sketches of two vectors differ in 1536 θ/π bits, within five standard deviations', () => {
  test.each(Object.entries(pairs))('%s', (_, [a, b]) => {
    const share = angle(a, b) / Math.PI
    const deviation = Math.sqrt(dimensions * share * (1 - share))
    const error = differing(sketchOf(a), sketchOf(b)) - dimensions * share
    expect(Math.abs(error)).toBeLessThanOrEqual(5 * deviation)
  })
})

test('a sketch does not depend on the length of the vector', () => {
  for (const power of [-20, 19]) {
    const scaled = dense(5).map((number) => number * 2 ** power)
    expect(sketchOf(scaled)).toEqual(sketchOf(dense(5)))
  }
})

const textOf = (sketch: Uint8Array) => `x${Buffer.from(sketch).toString('hex')}`

test('sketches never change: those stored by another release are compared with ours', () => {
  const hash = createHash('sha256')
  for (let seed = 0; seed < 20; seed++) hash.update(textOf(sketchOf(dense(seed))))
  for (let at = 0; at < dimensions; at += 64) hash.update(textOf(sketchOf(axis(at))))
  expect(hash.digest('hex')).toBe('ec9e848d71b153e0ce2c977f90185ef4d53e2d7f94ed2e49e3c5856e4cc1aa72')
})

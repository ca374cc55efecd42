import * as v from 'valibot'
import { base64Length, dimensions, fromBase64, vectorFault } from '../../embedding/vectors.ts'

/** Numbers or base64, read as a Float32Array. */
export const embedding = v.pipe(
  v.custom<number[] | string>(
    (value) => Array.isArray(value) || typeof value === 'string',
    'must be an array of numbers or a string of base64',
  ),
  v.rawTransform(({ dataset: { value: sent }, addIssue, NEVER }) => {
    const decoded = typeof sent === 'string' ? fromBase64(sent) : { vector: sent }
    const fault = 'fault' in decoded ? decoded.fault : vectorFault(decoded.vector)
    if ('fault' in decoded || fault !== undefined) {
      addIssue({ message: fault! })
      return NEVER
    }
    return decoded.vector instanceof Float32Array ? decoded.vector : new Float32Array(decoded.vector)
  }),
  v.metadata({
    title: 'Embedding',
    description: `From the same embedding model as the rest of the knowledge base: an array of ${dimensions} numbers that fit a 32-bit float, or their base64 (little-endian 32-bit floats), which is smaller and faster. Their norm must be between 1e-6 and 1e6. Numbers are stored with 11 significant bits, all that a similarity needs: each comes back within 0.05 % of itself or, if that is more, within 2e-12 of the vector’s largest.`,
    anyOf: [
      // Some generators turn `minItems` into a tuple, which is not a `number[]`.
      { type: 'array', items: { type: 'number' }, maxItems: dimensions },
      { type: 'string', contentEncoding: 'base64', minLength: base64Length, maxLength: base64Length },
    ],
  }),
)

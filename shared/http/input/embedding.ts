import * as v from 'valibot'
import { dimensions, vectorFault } from '../../embedding/vectors.ts'

export const embedding = v.pipe(
  v.custom<number[]>(Array.isArray, 'must be an array of numbers'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const fault = vectorFault(dataset.value)
    if (fault) addIssue({ message: fault })
  }),
  v.metadata({
    type: 'array',
    items: { type: 'number' },
    minItems: dimensions,
    maxItems: dimensions,
    description:
      'Numbers that fit a 32-bit float, from the same embedding model as the rest of the knowledge base. Their norm must be between 1e-6 and 1e6.',
  }),
)

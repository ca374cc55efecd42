import * as v from 'valibot'
import { vectorFault } from './vectors.ts'

/** An embedding in a request's body: 1536 numbers that fit a 32-bit float, checked in one pass. */
export const embedding = v.pipe(
  v.custom<number[]>(Array.isArray, 'must be an array of numbers'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const fault = vectorFault(dataset.value)
    if (fault) addIssue({ message: fault })
  }),
)

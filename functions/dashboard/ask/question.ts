import * as v from 'valibot'
import { documentId } from '../../../shared/ids.ts'
import { searchModes } from '../../../shared/retrieval/schemas.ts'
import { oneLine } from '../forms.ts'

const maxCharacters = 1000
const shortened = v.transform((text: string) => [...oneLine(text)].slice(0, maxCharacters).join(''))
const text = v.pipe(v.optional(v.string(), ''), shortened)

/** What the address of the screen says; what cannot be is as if it were not there. */
export const askQuery = v.object({
  /** What a caller would say. */
  q: text,
  mode: v.fallback(v.picklist(searchModes), 'hybrid'),
  /** Which document to compare with the hits. */
  document: v.fallback(v.optional(documentId), undefined),
  /** What the titles of the documents have that may be chosen for it. */
  title: text,
})
export type AskQuery = v.InferOutput<typeof askQuery>

import * as v from 'valibot'
import { documentId } from '../../../shared/ids.ts'
import { searchModes } from '../../../shared/retrieval/schemas.ts'
import { oneLine } from '../forms.ts'

const maxCharacters = 1000
const shortened = v.transform((text: string) => [...oneLine(text)].slice(0, maxCharacters).join(''))
const text = v.pipe(v.optional(v.string(), ''), shortened)

/** The screen's query string; invalid values count as absent. */
export const askQuery = v.object({
  q: text,
  mode: v.fallback(v.picklist(searchModes), 'hybrid'),
  document: v.fallback(v.optional(documentId), undefined),
  /** Part of the titles offered for comparison. */
  title: text,
})
export type AskQuery = v.InferOutput<typeof askQuery>

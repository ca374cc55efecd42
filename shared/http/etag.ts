import * as v from 'valibot'

/** Header value → the versions it lists, `'*'` for any. Strong comparison ignores weak tags. */
function etags(comparison: 'strong' | 'weak', description: string) {
  return v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^\s*(\*|(W\/)?"[\x21\x23-\x7e]*"(\s*,\s*(W\/)?"[\x21\x23-\x7e]*")*)\s*$/,
        'must be * or a comma-separated list of entity tags',
      ),
      v.transform((header) => {
        if (header.trim() === '*') return '*' as const
        const tags = [...header.matchAll(/(W\/)?"([^"]*)"/g)]
        return tags.filter(([, weak]) => !weak || comparison === 'weak').map(([, , version]) => version!)
      }),
      v.description(description),
    ),
  )
}

export const ifMatch = v.object({
  'if-match': etags(
    'strong',
    'The request takes effect only if the document has one of these entity tags; otherwise 412.',
  ),
})
export const ifNoneMatch = v.object({
  'if-none-match': etags('weak', 'Returns 304 without a body if the document has one of these entity tags.'),
})

export type Versions = '*' | string[]

export function etag(version: string | number): string {
  return `"${version}"`
}

import * as v from 'valibot'

/** Header value → the tags it lists, `'*'` for any. Strong comparison ignores weak tags. */
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
        return tags.filter(([, weak]) => !weak || comparison === 'weak').map(([, , tag]) => tag!)
      }),
      v.description(description),
    ),
  )
}

export const ifMatch = v.object({
  'if-match': etags(
    'strong',
    'The request takes effect only if no client has edited the document since it had one of these entity tags; otherwise it returns 412. Editing means changing its title, content, dates or chunks, or setting its status. The service’s own changes in the background are no edits.',
  ),
})
export const ifNoneMatch = v.object({
  'if-none-match': etags('weak', 'Returns 304 without a body if the document has one of these entity tags.'),
})

export type Tags = '*' | string[]

/** `version` grows with every visible change of a document, `edits` only with a client's. */
type Versioned = { edits: number; version: number | string }

export function tagOf({ edits, version }: Versioned): string {
  return `${edits}.${version}`
}

export function etag(versioned: Versioned): string {
  return `"${tagOf(versioned)}"`
}

export function editsOf(tags: string[]): string[] {
  return tags.flatMap((tag) => /^(\d+)\.\d+$/.exec(tag)?.[1] ?? [])
}

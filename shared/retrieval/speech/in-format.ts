import { inContext } from '../in-context.ts'
import type { Format, Hit, Value } from '../schemas.ts'
import { spokenPassage } from './speech.ts'

interface Heard {
  query?: string | undefined
  alternatives?: readonly string[] | undefined
  history?: readonly string[] | undefined
  format?: Format | undefined
}

/** The hits in the format that was asked for. @param found with the words that texts may have for the asked days */
export function inFormat(
  { query, alternatives = [], history, format }: Heard,
  hits: readonly (Hit & { revision: number })[],
  { sought, value }: { sought: string; value: Value | null },
): Hit[] {
  const written = hits.map(({ revision, ...hit }) => hit)
  if (format !== 'speech') return written
  const heard = query === undefined ? [] : [query, ...alternatives]
  const queries = heard.map((each) => `${inContext(each, history)} ${sought}`)
  return written.map((hit) => ({ ...hit, content: spokenPassage(queries, hit, value) }))
}

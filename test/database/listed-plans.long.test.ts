import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { indexedTerms } from '../../shared/terms/indexed-terms.ts'
import {
  type Batch,
  buffersOf,
  type Node,
  nodesOf,
  plansOf,
  useStatementPlans,
} from '../support/database/statement-plans.ts'
import { storeServed } from '../support/documents/served-document.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { isThorough } from '../support/tools/effort.ts'

const stand = useStand()
const { batchesOf } = useStatementPlans()

const chunks = isThorough ? 20_000 : 3000
const words = Array.from({ length: 400 }, (_, i) => `word${String.fromCharCode(97 + (i % 26), 97 + ((i / 26) | 0))}`)
/** Each chunk has a frequent word, one of 20, and one of 400. */
const textOf = (i: number) => `lamp ${words[i % 20]} ${words[(i * 7) % 400]} ${words[(i * 13) % 400]}`

let tenant: Tenant

beforeAll(async () => {
  tenant = await stand.tenant()
  const document = () =>
    storeServed(
      stand.db,
      tenant,
      Array.from({ length: 1000 }, (_, i) => ({ vector: axis(i % 40) })),
    )
  for (let stored = 0; stored < chunks; stored += 1000) {
    const id = await document()
    const terms = Array.from({ length: 1000 }, (_, i) => indexedTerms(textOf(stored + i)).terms)
    await sql`update chunk_terms t set terms = made.terms::sparsevec, length = 4
      from unnest(${terms}::text[]) with ordinality made(terms, n)
      where t.organization_id = ${tenant.organizationId} and t.agent_id = ${tenant.agentId} and t.document_id = ${id}
        and t.chunk_index = n - 1`.execute(stand.db)
  }
  await sql`select list_chunks(${tenant.organizationId}, ${tenant.agentId}, ${chunks})`.execute(stand.db)
  await stand.pool.query('vacuum analyze')
})

/** The logins under which a question is answered. */
const roles = ['cuecard_search', 'cuecard_mcp', 'cuecard_platforms', 'cuecard_dashboard']

const questions: [string, object][] = [
  ['by meaning', { embedding: Array.from(axis(3)), mode: 'semantic' }],
  ['by words', { query: `lamp ${words[3]} ${words[9]}`, mode: 'keyword' }],
  ['by both', { query: `lamp ${words[3]} ${words[9]}`, embedding: Array.from(axis(3)) }],
]

describe.each(roles)('a search as %s', (role) => {
  test.each(questions)(
    `of ${chunks} listed chunks %s reads few pages for each candidate, by indexes`,
    async (_, body) => {
      const batches = await batchesOf(async () => {
        const { status } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, body)
        expect(status).toBe(200)
      })
      // A Lambda that has not seen the key asks for it first.
      const search = batches.find(({ queries }) => queries[0]!.query.includes(' from answers('))!
      const plans = await plansOf(stand.pool, as(role, search))
      expect(plans.length).toBeGreaterThan(3)
      const scans = plans.flatMap(nodesOf).filter((node) => node['Relation Name'])
      expect(scans.filter((node) => buffersOf(node) / node['Actual Loops'] > pagesOfScan(node)).map(described)).toEqual(
        [],
      )
      const keys = await keysOfIndexes()
      const filtered = scans.filter((node) =>
        keys[node['Relation Name']!]?.some((key) => hasWord(searchableBy(node), key)),
      )
      expect(filtered.map(described)).toEqual([])
    },
  )
})

function as(role: string, { url, init, queries }: Batch): Batch {
  const headers = new Headers(init.headers)
  const login = new URL(headers.get('neon-connection-string')!)
  login.username = role
  headers.set('neon-connection-string', login.href)
  return { url, init: { ...init, headers }, queries }
}

const described = (node: Node) =>
  `${node['Relation Name']} by ${node['Index Name']}: ${buffersOf(node)} pages, ${node['Actual Loops']} times; filter ${node.Filter}`

/** A look-up for one candidate reads a few pages, a scan those of the agent's chunks. */
const pagesOfScan = (node: Node) => (node['Actual Loops'] > 3 ? 8 : chunks / 10)

/** The filter without conditions that no index answers, such as that a column is in none of a set. */
const searchableBy = ({ Filter }: Node) =>
  Filter?.replaceAll(/\(NOT \(ANY \(\w+ = \(hashed SubPlan \d+\)\.col1\)\)\)/g, '')

const hasWord = (text: string | undefined, word: string) => new RegExp(`\\b${word}\\b`).test(text ?? '')

/** The columns by which an index of each table is searched, except the tenant's. */
async function keysOfIndexes(): Promise<Record<string, string[]>> {
  const { rows } = await sql<{ table: string; keys: string[] }>`
    select c.relname as table, array_agg(distinct a.attname::text) as keys
    from pg_index i join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey[0:i.indnkeyatts - 1])
    where c.relnamespace = 'public'::regnamespace and a.attname not in ('organization_id', 'agent_id') group by 1`.execute(
    stand.db,
  )
  return Object.fromEntries(rows.map(({ table, keys }) => [table, keys]))
}

/**
 * Prints the statement of a search, as it is sent for a large agent, with the values of its parameters.
 * `npm run search-sql -- hybrid "are you open on Sunday?"`; the mode is hybrid, semantic or keyword.
 */
import { Database } from '../shared/database/database.ts'
import { lexicalEmbedder } from '../shared/embedding/lexical-embedder.ts'
import { searchModes } from '../shared/retrieval/schemas.ts'
import { worstCaseTraits } from '../shared/retrieval/search.ts'
import { searchParameters } from '../shared/retrieval/statement/search-parameters.ts'
import { hits } from '../shared/retrieval/statement/search-statement.ts'

const [name = 'hybrid', query = 'Are you open on Sunday?'] = process.argv.slice(2)
const mode = searchModes.find((each) => each === name)
if (!mode) {
  console.error(`The mode must be one of ${searchModes.join(', ')}.`)
  process.exit(1)
}
const scope = { organizationId: 'ORGANIZATION', agentId: 'AGENT' } as never
const [vector] = await lexicalEmbedder().embed([query])
const parameters = searchParameters(scope, { mode, query, vector }, { limit: 5 })
const statement = hits({ ...parameters, ...worstCaseTraits })
const compiled = statement.compile(new Database({ url: () => '', timeoutSeconds: 1 }))
console.log(compiled.sql)
for (const [i, value] of compiled.parameters.entries())
  console.log(`-- $${i + 1}: ${JSON.stringify(value).slice(0, 100)}`)

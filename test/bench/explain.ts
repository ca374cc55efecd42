/**
 * Prints the plans of the statements in a search's functions: `npm run explain -- hybrid 1000` for an agent of 1,000 chunks, on the
 * embedded database or a new one on the server of DATABASE_URL. The mode is hybrid, semantic or keyword.
 */
import { sql } from 'kysely'
import { openDatabase } from '../../infra/local/database/database.ts'
import { createScratchDatabase } from '../../infra/local/database/scratch-database.ts'
import { migrate } from '../../infra/migrations/migrate.ts'
import { Database } from '../../shared/database/database.ts'
import { searchModes } from '../../shared/retrieval/schemas.ts'
import { asQuestion, questionsOf } from '../../shared/retrieval/statement/asked-question.ts'
import { question } from './data/texts.ts'
import { vectorsOf } from './data/vectors.ts'
import { openCuecard } from './stage/cuecard.ts'
import { loadOurs } from './stage/load.ts'
import type { Server } from './stage/server.ts'

const [name = 'hybrid', size = '1000'] = process.argv.slice(2)
const mode = searchModes.find((each) => each === name)
const chunks = Number(size)
if (!mode || !(chunks > 0)) throw new Error(`usage: npm run explain -- ${searchModes.join('|')} CHUNKS`)

const scratch = process.env.DATABASE_URL ? await createScratchDatabase(process.env.DATABASE_URL) : undefined
const { pool, ...database } = await openDatabase({ url: scratch?.url })
await migrate(pool)
const query = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows
const forOurs = async () => ({ url: database.url, query, close: database.close })
const cuecard = await openCuecard({ forOurs } as unknown as Server)
try {
  const agent = await cuecard.agent(await cuecard.organization())
  const vectors = await vectorsOf('clustered', 1, chunks)
  await loadOurs(cuecard, agent, { seed: 1, vectors }, { from: 0, to: chunks })
  await query('vacuum analyze')

  const scope = { organizationId: agent.id, agentId: agent.agentId } as never
  const asked = { query: question(1, 0), vector: await vectors.query(0, chunks) }
  const [asking] = questionsOf(scope, mode, [asked], { limit: 5 })
  const statement = sql`select * from answers(${asQuestion({ ...asking, max_bytes: 6e6 })})`
  const compiled = statement.compile(new Database({ url: () => '', timeoutSeconds: 1 }))
  const client = await pool.connect()
  client.on('notice', ({ message }) => console.log(message))
  await client.query(`load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
    set auto_explain.log_analyze = on; set client_min_messages = log; set role cuecard_search`)
  await client.query(compiled.sql, [...compiled.parameters])
  client.release()
} finally {
  await cuecard.close()
  await scratch?.drop()
}

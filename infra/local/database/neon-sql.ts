import { type ClientBase, type DatabaseError, escapeIdentifier, type QueryArrayConfig, type QueryArrayResult } from 'pg'
import * as v from 'valibot'

const statement = v.object({ query: v.string(), params: v.optional(v.array(v.unknown()), []) })
export const sqlBody = v.union([v.object({ queries: v.array(statement) }), statement])

type Statement = v.InferOutput<typeof statement>

export interface SqlRequest {
  body: v.InferOutput<typeof sqlBody>
  role: string | undefined
}

/**
 * Runs a statement or a batch as Neon's proxy does: on a session that others have used, each statement awaited. Here the session is the
 * owner's, so it takes the role of the login. @returns the body of Neon’s response. @throws DatabaseError for an error of Postgres
 */
export async function runSql(client: ClientBase, { body, role }: SqlRequest, signal: AbortSignal) {
  if (role !== undefined) await client.query(`set role ${escapeIdentifier(role)}`)
  try {
    return 'queries' in body ? await runBatch(client, body.queries, signal) : await runStatement(client, body)
  } finally {
    // Before the response, so that an immediate retry does not run into locks of this attempt.
    if (client.getTransactionStatus() !== 'I') await client.query('rollback')
    if (role !== undefined) await client.query('reset role')
  }
}

async function runBatch(client: ClientBase, statements: Statement[], signal: AbortSignal) {
  await client.query('begin')
  const results: ReturnType<typeof toResult>[] = []
  for (const each of statements) {
    signal.throwIfAborted()
    results.push(await runStatement(client, each))
  }
  signal.throwIfAborted()
  await client.query('commit')
  return { results }
}

async function runStatement(client: ClientBase, { query, params }: Statement) {
  // As Neon does: one statement per query, even without parameters.
  const config: QueryArrayConfig & { queryMode: 'extended' } = {
    text: query,
    values: params,
    rowMode: 'array',
    queryMode: 'extended',
  }
  return toResult(await client.query<(string | null)[]>(config))
}

function toResult({ command, rowCount, rows, fields }: QueryArrayResult<(string | null)[]>) {
  return {
    command,
    rowCount,
    rowAsArray: true,
    viaNeonFetch: true,
    fields: fields.map(({ format: _, ...field }) => ({ ...field, format: 'text' })),
    rows,
  }
}

export function toErrorBody(error: unknown) {
  if (!(error instanceof Error) || !('severity' in error && 'code' in error)) return undefined
  const { message, ...rest } = error as DatabaseError
  return { ...rest, message }
}

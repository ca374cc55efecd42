import { type ClientBase, type DatabaseError, escapeIdentifier, type QueryArrayConfig, type QueryArrayResult } from 'pg'
import * as v from 'valibot'

const statement = v.object({ query: v.string(), params: v.optional(v.array(v.unknown()), []) })
export const sqlBody = v.union([v.object({ queries: v.array(statement) }), statement])

type Statement = v.InferOutput<typeof statement>

export interface SqlRequest {
  body: v.InferOutput<typeof sqlBody>
  role: string | undefined
}

/** Runs a statement or a batch. @returns the body of Neon’s response. @throws DatabaseError for an error of Postgres */
export async function runSql(client: ClientBase, { body, role }: SqlRequest, signal: AbortSignal) {
  const batch = 'queries' in body
  if (!batch && role === undefined) return await runStatement(client, body)
  const setRole = role === undefined ? '' : `; set local role ${escapeIdentifier(role)}`
  const begin = `begin${setRole}`
  try {
    const results = await runAll(client, begin, batch ? body.queries : [body], signal)
    signal.throwIfAborted()
    await client.query('commit')
    return batch ? { results } : results[0]
  } catch (error) {
    // Before the response, so that an immediate retry does not run into locks of this attempt.
    if (client.getTransactionStatus() !== 'I') await client.query('rollback')
    throw error
  }
}

async function runAll(client: ClientBase, begin: string, statements: Statement[], signal: AbortSignal) {
  if ('pipeline' in client && client.pipeline) {
    // Sent without a round trip between. After one that fails, Postgres rejects the rest of the transaction.
    const sent = [client.query(begin), ...statements.map((each) => runStatement(client, each))] as const
    const settled = await Promise.allSettled(sent)
    const failed = settled.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
    return await Promise.all(sent.slice(1))
  }
  await client.query(begin)
  const results: ReturnType<typeof toResult>[] = []
  for (const each of statements) {
    signal.throwIfAborted()
    results.push(await runStatement(client, each))
  }
  return results
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

import type { ClientBase, FieldDef, QueryArrayConfig, QueryArrayResult } from 'pg'
import * as v from 'valibot'

const statement = v.object({
  query: v.string(),
  params: v.optional(v.array(v.unknown()), []),
  arrayMode: v.optional(v.boolean()),
})
export const sqlBody = v.union([v.object({ queries: v.array(statement) }), statement])

type Statement = v.InferOutput<typeof statement>
export type SqlBody = v.InferOutput<typeof sqlBody>

export interface Options {
  /** The mode of a batch's transaction, as SQL. */
  mode: string
  arrayMode: boolean
}

/** The limit of both directions: proxy.rs, sql_over_http_max_request_size_bytes and …_response_size_bytes. */
export const maxBytes = 10 * 1024 * 1024

export class AnswerTooLarge extends Error {
  override message = `response is too large (max is ${maxBytes} bytes)`
}

/** Requests, their statements, and the round trips that Neon's proxy makes to the database for them. */
export interface Traffic {
  requests: number
  statements: number
  roundTrips: number
}

/**
 * Runs a statement, or a batch in a transaction, each statement awaited (sql_over_http.rs, BatchQueryData::process).
 * @returns the body of Neon’s response. @throws DatabaseError for an error of Postgres; AnswerTooLarge; the signal's reason
 */
export async function runSql(
  client: ClientBase,
  body: SqlBody,
  options: Options,
  signal: AbortSignal,
  traffic: Traffic,
): Promise<string> {
  const run = async (text: string, each: Statement) => {
    // Each string has one statement, even without parameters.
    const result = await client.query<Row>(toQuery(each))
    traffic.statements += 1
    // Parse and Describe, then Bind and Execute (query.rs, query_txt).
    traffic.roundTrips += 2 + lookUps(client, result.fields)
    return text + toJson(result, each.arrayMode ?? options.arrayMode, Buffer.byteLength(text))
  }
  if (!('queries' in body)) return await run('', body)
  await client.query(`start transaction ${options.mode}`)
  let text = '{"results":['
  for (const [i, each] of body.queries.entries()) {
    signal.throwIfAborted()
    text = await run(i > 0 ? `${text},` : text, each)
  }
  signal.throwIfAborted()
  await client.query('commit')
  traffic.roundTrips += 2
  return `${text}]}`
}

const knownTypes = new WeakMap<ClientBase, Set<number>>()
const firstNormalObjectId = 16_384

/** The proxy looks up each type that is not built in, once a session, between a Parse and a Close of its own (prepare.rs). */
function lookUps(client: ClientBase, fields: FieldDef[]): number {
  const known = knownTypes.get(client) ?? new Set()
  knownTypes.set(client, known)
  const types = new Set(fields.map(({ dataTypeID }) => dataTypeID).filter((id) => id >= firstNormalObjectId))
  const unknown = types.difference(known)
  for (const id of unknown) known.add(id)
  return unknown.size > 0 ? unknown.size + 2 : 0
}

type Row = (string | null)[]

/** Measured before each row, after what the batch has answered so far (sql_over_http.rs, query_to_json). */
function toJson({ fields, rows, command, rowCount }: QueryArrayResult<Row>, arrayMode: boolean, bytesBefore: number) {
  const described = fields.map(({ name, dataTypeID, tableID, columnID, dataTypeSize, dataTypeModifier }) => {
    return { name, dataTypeID, tableID, columnID, dataTypeSize, dataTypeModifier, format: 'text' }
  })
  let text = `{"fields":${JSON.stringify(described)},"rows":[`
  let bytes = bytesBefore + Buffer.byteLength(text)
  for (const [i, row] of rows.entries()) {
    if (bytes > maxBytes) throw new AnswerTooLarge()
    const entry = arrayMode ? row : Object.fromEntries(row.map((value, column) => [fields[column]!.name, value]))
    const json = `${i > 0 ? ',' : ''}${JSON.stringify(entry)}`
    bytes += Buffer.byteLength(json)
    text += json
  }
  return `${text}],${JSON.stringify({ command: command ?? '', rowCount, rowAsArray: arrayMode }).slice(1)}`
}

function toQuery({ query, params }: Statement): QueryArrayConfig & { queryMode: 'extended' } {
  const types = { getTypeParser: () => (value: string) => value } as QueryArrayConfig['types']
  return { text: query, values: params.map(toText), rowMode: 'array', queryMode: 'extended', types }
}

/** JSON as Postgres's text (json.rs, json_to_pg_text). */
function toText(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  return Array.isArray(value) ? toArray(value) : JSON.stringify(value)
}

function toArray(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(toArray).join(',')}}`
  if (value === null) return 'NULL'
  return JSON.stringify(typeof value === 'object' ? JSON.stringify(value) : value)
}

import utils from 'pg/lib/utils.js'
import types from 'pg-types'

/** How Neon's proxy is reached. */
export const neonConfig: {
  fetchEndpoint: (host: string, port: string) => string
  fetchFunction?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
} = { fetchEndpoint: (host) => `https://${host.replace(/^[^.]+\./, 'api.')}/sql` }

/** What the proxy answers but 200: an error of Postgres has a `code`. */
export class NeonDbError extends Error {
  override readonly name = 'NeonDbError'
  declare readonly status: number | undefined
  declare readonly code: string | undefined
  declare readonly constraint: string | undefined
  declare readonly detail: string | undefined

  constructor(message: string, fields: Partial<Pick<NeonDbError, 'status' | 'code' | 'constraint' | 'detail'>>) {
    super(message)
    Object.assign(this, fields)
  }
}

export interface Query {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export interface Result {
  command: string
  rowCount: number | null
  rows: Record<string, unknown>[]
}

interface Answer extends Omit<Result, 'rows'> {
  fields: { name: string; dataTypeID: number }[]
  rows: (string | null)[][]
}

/**
 * SQL over HTTP as Neon's own driver speaks it, without that driver's WebSockets and Postgres client, which would be a quarter of a Lambda's
 * code. Several queries are one transaction. @throws NeonDbError; what fetch throws when there is no answer, or part of one
 */
export async function query(url: string, queries: readonly Query[], signal: AbortSignal): Promise<Result[]> {
  if (!URL.canParse(url)) throw new Error('The connection string is malformed')
  const { hostname, port } = new URL(url)
  const sent = queries.map(({ sql, parameters }) => ({ query: sql, params: parameters.map(toText) }))
  const { fetchEndpoint, fetchFunction = fetch } = neonConfig
  const response = await fetchFunction(fetchEndpoint(hostname, port), {
    method: 'POST',
    headers: { 'Neon-Connection-String': url, 'Neon-Raw-Text-Output': 'true', 'Neon-Array-Mode': 'true' },
    body: JSON.stringify(sent.length === 1 ? sent[0] : { queries: sent }),
    signal,
  })
  const { status } = response
  if (status === 400) {
    const { message, code, constraint, detail } = (await response.json()) as NeonDbError
    throw new NeonDbError(message, { status, code, constraint, detail })
  }
  if (!response.ok) throw new NeonDbError(`Server error (HTTP status ${status}): ${await response.text()}`, { status })
  const answer = (await response.json()) as Answer | { results: Answer[] }
  return ('results' in answer ? answer.results : [answer]).map(toResult)
}

function toText(value: unknown): unknown {
  const prepared = utils.prepareValue(value)
  return Buffer.isBuffer(prepared) ? `\\x${prepared.toString('hex')}` : prepared
}

function toResult({ fields, rows, ...result }: Answer): Result {
  const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID) }))
  const toRow = (values: (string | null)[]) =>
    Object.fromEntries(columns.map(({ name, parse }, i) => [name, values[i] == null ? null : parse(values[i])]))
  return { ...result, rows: rows.map(toRow) }
}

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'

type Run = (query: CompiledQuery) => Promise<QueryResult<unknown>>

export function neonDialect(run: Run): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new HttpDriver(run),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

class HttpDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(run: Run) {
    this.#connection = {
      executeQuery: <Row>(query: CompiledQuery) => run(query) as Promise<QueryResult<Row>>,
      streamQuery() {
        throw new Error('SQL over HTTP streams no rows')
      },
    }
  }

  acquireConnection = async () => this.#connection
  beginTransaction = noSession
  commitTransaction = noSession
  rollbackTransaction = noSession
  init = async () => {}
  releaseConnection = async () => {}
  destroy = async () => {}
}

function noSession(): Promise<never> {
  return Promise.reject(new Error('SQL over HTTP has no session: use batch'))
}

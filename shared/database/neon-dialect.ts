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
  const connection: DatabaseConnection = {
    executeQuery: <Row>(query: CompiledQuery) => run(query) as Promise<QueryResult<Row>>,
    streamQuery() {
      throw new Error('SQL over HTTP streams no rows')
    },
  }
  const nothing = async () => {}
  const driver: Driver = {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: noSession,
    commitTransaction: noSession,
    rollbackTransaction: noSession,
    releaseConnection: nothing,
    destroy: nothing,
  }
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

function noSession(): Promise<never> {
  return Promise.reject(new Error('SQL over HTTP has no session: use batch'))
}

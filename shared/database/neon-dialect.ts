import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
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
  class NeonDriver extends DummyDriver {
    override acquireConnection = async () => connection
    override beginTransaction = () => Promise.reject(new Error('SQL over HTTP has no session: use batch'))
  }
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new NeonDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

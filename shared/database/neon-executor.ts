import {
  type CompiledQuery,
  DefaultQueryExecutor,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryExecutor,
  type QueryResult,
} from 'kysely'

type Run = (query: CompiledQuery) => Promise<QueryResult<unknown>>

export function neonExecutor(run: Run): QueryExecutor {
  const connection = {
    executeQuery: <Row>(query: CompiledQuery) => run(query) as Promise<QueryResult<Row>>,
    streamQuery() {
      throw new Error('SQL over HTTP cannot stream rows')
    },
  }
  return new DefaultQueryExecutor(new PostgresQueryCompiler(), new PostgresAdapter(), {
    provideConnection: (consumer) => consumer(connection),
  })
}

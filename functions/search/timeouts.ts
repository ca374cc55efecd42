/** The longest that the parts of a search may take: together well under the Lambda's time-out, so that the answer is ours. */
export const timeouts = {
  /** Of a query's vector, the provider's retries included: somebody is waiting on the telephone. */
  embeddingSeconds: 3,
  /** Of each round trip to the database. A search by text makes three: the key, the agent, the chunks. */
  databaseSeconds: 6,
}

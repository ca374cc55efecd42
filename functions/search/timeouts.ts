/** Time limits of the parts of a search: together well under the Lambda's timeout, so that a 503 is still ours. */
export const timeouts = {
  /** Of embedding a query, the provider's retries included: a caller is waiting on the phone. */
  embeddingSeconds: 3,
  /** Of each round trip to the database. A search by text makes three: the key, the agent, the chunks. */
  databaseSeconds: 6,
}

import { mcpApp } from '../../functions/mcp/app.ts'
import type { AnsweringDependencies } from '../../shared/retrieval/answer.ts'
import { callerOf } from '../support/stand/app-caller.ts'
import { newEmbedder } from '../support/stand/new-search.ts'
import type { Tenant } from '../support/stand/stand.ts'
import { databaseAs } from '../support/stand/worker.ts'
import { type Era, mcpClient } from './mcp-client.ts'

/** Starts the test's own instance of the MCP Lambda. @returns a function that gives a tenant a client */
export function newMcp(provider: { baseUrl: string }, more: Partial<AnsweringDependencies> = {}) {
  const app = mcpApp({ db: databaseAs('cuecard_mcp'), embedder: newEmbedder(provider), ...more })
  return ({ agentId, apiKey }: Tenant, era?: Era) => mcpClient({ agentId, call: callerOf(app, apiKey) }, era)
}

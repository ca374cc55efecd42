import { ApiError } from './errors.ts'

export function agentNotFound(): never {
  throw new ApiError('agent_not_found', 'Your organization has no agent with this id.')
}

export function documentNotFound(): never {
  throw new ApiError('document_not_found', 'The agent has no document with this id.')
}

/** The scope's document, from a batch that has looked for it and its agent. @throws ApiError agent_not_found, document_not_found */
export function requireDocument<Row>({ agents, documents }: { agents: unknown[]; documents: Row[] }): Row {
  if (agents.length === 0) agentNotFound()
  return documents[0] ?? documentNotFound()
}

import { ApiError } from './errors.ts'

/** Also for another organization's agent. */
export function agentNotFound(): never {
  throw new ApiError('agent_not_found', 'Your organization has no agent with this id.')
}

export function documentNotFound(): never {
  throw new ApiError('document_not_found', 'The agent has no document with this id.')
}

import { apiOf } from '../../infra/client/api.ts'
import type { Search, SearchAnswer } from './ask.ts'

export interface Target {
  /** An origin such as `http://127.0.0.1:8787`. */
  url: string
  agentId: string
  apiKey: string
}

/** Searches of an agent of a running system, over HTTP. */
export function searchOf({ url, agentId, apiKey }: Target): Search {
  const api = apiOf(url, apiKey)
  const path = `/v1/agents/${encodeURIComponent(agentId)}/knowledge-base/search`
  return async (request) => (await api('POST', path, request)) as SearchAnswer
}

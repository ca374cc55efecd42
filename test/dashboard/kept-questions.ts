import { keepQuestions } from '../support/documents/asked-questions.ts'
import type { SignedIn, useDashboard } from './support.ts'

export const questionsPath = ({ agentId }: { agentId: string }) => `/dashboard/agents/${agentId}/questions`

export const questionsScreen = (owner: SignedIn, query: Record<string, string> = {}) =>
  owner.browser.get(`${questionsPath(owner)}?${new URLSearchParams(query)}`)

export const askScreen = ({ browser, agentId }: SignedIn, query: Record<string, string>) =>
  browser.get(`/dashboard/agents/${agentId}/ask?${new URLSearchParams(query)}`)

export const callScreen = ({ browser, agentId }: SignedIn, id: string) =>
  browser.get(`/dashboard/agents/${agentId}/call?${new URLSearchParams({ id })}`)

/** Signs somebody in whose organization keeps callers' questions. */
export async function keepingOn({ stand, signedIn }: ReturnType<typeof useDashboard>): Promise<SignedIn> {
  const owner = await signedIn()
  await keepQuestions(stand, owner)
  return owner
}

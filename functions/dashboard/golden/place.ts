import { agentPage } from '../layout.ts'

export const goldenPage = (agentId: string) => agentPage(agentId, 'golden-questions')

/** Where the list shows the question. */
export const questionPath = (agentId: string, id: string) => `${goldenPage(agentId)}#question-${id}`

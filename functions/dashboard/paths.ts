import { agentPage } from './layout.ts'

export const settingsPath = '/dashboard/settings'
export const callsPath = `${settingsPath}/calls`
export const documentsRoute = '/dashboard/agents/:agentId/documents'
export const documentRoute = `${documentsRoute}/:documentId` as const
export const invitationPath = '/dashboard/invitation'

const maxQuestionCharacters = 500

/** Adds the parameters that have a value. */
export function withQuery(path: string, parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value = '']): [string, string][] =>
    value === '' ? [] : [[name, `${value}`]],
  )
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}

/** @param query `after`: the document that is to be ready first */
export function askPath(agentId: string, query: { q?: string; at?: string | undefined; after?: string } = {}): string {
  return withQuery(agentPage(agentId, 'ask'), query)
}

export function documentPath(agentId: string, documentId: string): string {
  return `${agentPage(agentId, 'documents')}/${documentId}`
}

/** The page of a document that shows the chunk with this index. */
export function passagePath(agentId: string, documentId: string, index: number): string {
  return `${documentPath(agentId, documentId)}?passage=${index + 1}#passage-${index + 1}`
}

/** The form that corrects a document's text for a question and makes it a check. @param source the passage that answers @param at when it was asked */
export function correctionPath(
  agentId: string,
  source: { document_id: string; chunk_index: number },
  question: string,
  at?: string,
): string {
  const passage = source.chunk_index + 1
  return withQuery(`${documentPath(agentId, source.document_id)}/edit`, { question, at, passage })
}

/** The screen with a call's questions. */
export function callPath(agentId: string, id: string): string {
  return withQuery(`/dashboard/agents/${agentId}/call`, { id })
}

/** The form for a text that answers a question. @param from the tab to return to */
export function newDocumentPath(agentId: string, question: string, from: 'ask' | 'questions'): string {
  const shown = [...question].slice(0, maxQuestionCharacters).join('')
  return withQuery(`${agentPage(agentId, 'documents')}/new`, { question: shown, from })
}

/** The form for days on which the business is closed or has other hours. */
export function closedPath(agentId: string, from?: string): string {
  return withQuery(`${agentPage(agentId, 'documents')}/closed`, { from })
}

export const checksPage = (agentId: string) => agentPage(agentId, 'golden-questions')

/** The place of a check in the list. */
export const checkPath = (agentId: string, id: string) => `${checksPage(agentId)}#question-${id}`

import { agentPage } from './layout.ts'

export const settingsPath = '/dashboard/settings'

const maxTitleCharacters = 500

export function askPath(
  agentId: string,
  {
    q,
    mode,
    at,
    document,
    title,
  }: { q?: string; mode?: string; at?: string | undefined; document?: string | undefined; title?: string } = {},
): string {
  const query = new URLSearchParams({
    ...(q && { q }),
    ...(mode && mode !== 'hybrid' && { mode }),
    ...(at && { at }),
    ...(document && { document }),
    ...(title && { title }),
  })
  return `${agentPage(agentId, 'ask')}${query.size > 0 ? `?${query}` : ''}`
}

export function documentPath(agentId: string, documentId: string): string {
  return `${agentPage(agentId, 'documents')}/${documentId}`
}

/** The page of a document that has the chunk with this index. */
export function passagePath(agentId: string, documentId: string, index: number): string {
  return `${documentPath(agentId, documentId)}?passage=${index + 1}#passage-${index + 1}`
}

/** The form in which a document's text is corrected for a question, which becomes a golden one with it. */
export function correctionPath(agentId: string, documentId: string, question: string): string {
  return `${documentPath(agentId, documentId)}/edit?${new URLSearchParams({ question })}`
}

/** What was asked in a call; without an id, where the form leads that asks for it. */
export function callPath(agentId: string, id?: string): string {
  return `/dashboard/agents/${agentId}/call${id === undefined ? '' : `?${new URLSearchParams({ id })}`}`
}

/** @param document the one that should answer it @param asked in which call, under which id of `question_log` */
export function goldenQuestionPath(
  agentId: string,
  question: string,
  document?: string,
  asked?: { call: string; before: string },
): string {
  const query = new URLSearchParams({ question, ...(document && { document }), ...asked })
  return `/dashboard/agents/${agentId}/golden-questions/new?${query}`
}

export function newDocumentPath(agentId: string, question: string): string {
  const title = [...question].slice(0, maxTitleCharacters).join('')
  return `${agentPage(agentId, 'documents')}/new?${new URLSearchParams({ title })}`
}

export const goldenPage = (agentId: string) => agentPage(agentId, 'golden-questions')

/** The place of a golden question in the list. */
export const goldenPath = (agentId: string, id: string) => `${goldenPage(agentId)}#question-${id}`

import { agentPage } from './layout.ts'

export const settingsPath = '/dashboard/settings'

const maxTitleCharacters = 500

export function askPath(
  agentId: string,
  { q, mode, document, title }: { q?: string; mode?: string; document?: string | undefined; title?: string } = {},
): string {
  const query = new URLSearchParams({
    ...(q && { q }),
    ...(mode && mode !== 'hybrid' && { mode }),
    ...(document && { document }),
    ...(title && { title }),
  })
  return `${agentPage(agentId, 'ask')}${query.size > 0 ? `?${query}` : ''}`
}

export function newDocumentPath(agentId: string, question: string): string {
  const title = [...question].slice(0, maxTitleCharacters).join('')
  return `${agentPage(agentId, 'documents')}/new?${new URLSearchParams({ title })}`
}

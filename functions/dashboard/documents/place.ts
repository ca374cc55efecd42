import type { Permission } from '../../../shared/permissions.ts'
import { agentPage } from '../layout.ts'

export type Place = { agentId: string; base: string; mayWrite: boolean }

export function placeOf({ agentId }: { agentId: string }, may: (permission: Permission) => boolean): Place {
  return { agentId, base: agentPage(agentId, 'documents'), mayWrite: may('kb:write') }
}

export const listPath = '/dashboard/agents/:agentId/documents'
export const documentPagePath = `${listPath}/:documentId` as const

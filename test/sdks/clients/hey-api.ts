import { createClient } from './generated/hey-api/client/index.ts'
import * as api from './generated/hey-api/index.ts'
import { journey, Refused } from './journey.ts'

await journey(({ baseUrl, apiKey, agentId }) => {
  const client = createClient({ baseUrl, auth: apiKey })
  return {
    createDocument: async (body) => read(await api.createDocument({ client, path: { agentId }, body })),
    createDocuments: async (documents) =>
      read(await api.createDocuments({ client, path: { agentId }, body: { documents } })),
    putDocument: async (externalId, body) =>
      read(await api.putDocument({ client, path: { agentId, externalId }, body })),
    getDocumentByExternalId: async (externalId) =>
      read(await api.getDocumentByExternalId({ client, path: { agentId, externalId } })),
    getDocument: async (documentId) => read(await api.getDocument({ client, path: { agentId, documentId } })),
    updateDocument: async (documentId, body) =>
      read(await api.updateDocument({ client, path: { agentId, documentId }, body })),
    deleteDocument: async (documentId) => read(await api.deleteDocument({ client, path: { agentId, documentId } })),
    listDocuments: async (query) => read(await api.listDocuments({ client, path: { agentId }, query })),
    createChunks: async (documentId, chunks) =>
      read(await api.createChunks({ client, path: { agentId, documentId }, body: { chunks } })),
    listChunks: async (documentId, query) =>
      read(await api.listChunks({ client, path: { agentId, documentId }, query })),
    search: async (body) => read(await api.search({ client, path: { agentId }, body })),
    getOrganization: async () => read(await api.getOrganization({ client })),
    updateOrganization: async (body) => read(await api.updateOrganization({ client, body })),
  }
})

function read<T>({ data, error }: { data?: T; error?: api.Problem | api.GatewayMessage }): T {
  if (error && 'code' in error) throw new Refused(error)
  if (error) throw new Error(error.message)
  return data as T
}

import createClient from 'openapi-fetch'
import type { components, paths } from './generated/openapi-typescript.ts'
import { journey, Refused } from './journey.ts'

await journey(({ baseUrl, apiKey, agentId }) => {
  const api = createClient<paths>({ baseUrl, headers: { 'X-API-Key': apiKey } })
  const documents = '/v1/agents/{agentId}/knowledge-base'
  const batch = '/v1/agents/{agentId}/knowledge-base/batch'
  const document = '/v1/agents/{agentId}/knowledge-base/{documentId}'
  const byExternalId = '/v1/agents/{agentId}/knowledge-base/by-external-id/{externalId}'
  const named = (externalId: string) => ({ path: { agentId, externalId } })
  const chunks = '/v1/agents/{agentId}/knowledge-base/{documentId}/chunks'
  const ofAgent = { path: { agentId } }
  const of = (documentId: string) => ({ path: { agentId, documentId } })
  return {
    createDocument: async (body) => read(await api.POST(documents, { params: ofAgent, body })),
    createDocuments: async (list) => read(await api.POST(batch, { params: ofAgent, body: { documents: list } })),
    putDocument: async (externalId, body) => read(await api.PUT(byExternalId, { params: named(externalId), body })),
    getDocumentByExternalId: async (externalId) => read(await api.GET(byExternalId, { params: named(externalId) })),
    getDocument: async (documentId) => read(await api.GET(document, { params: of(documentId) })),
    updateDocument: async (documentId, body) => read(await api.PATCH(document, { params: of(documentId), body })),
    deleteDocument: async (documentId) => read(await api.DELETE(document, { params: of(documentId) })),
    listDocuments: async (query) => read(await api.GET(documents, { params: { ...ofAgent, query } })),
    createChunks: async (documentId, list) =>
      read(await api.POST(chunks, { params: of(documentId), body: { chunks: list } })),
    listChunks: async (documentId, query) => read(await api.GET(chunks, { params: { ...of(documentId), query } })),
    search: async (body) =>
      read(await api.POST('/v1/agents/{agentId}/knowledge-base/search', { params: ofAgent, body })),
    getOrganization: async () => read(await api.GET('/v1/organization')),
    updateOrganization: async (body) => read(await api.PATCH('/v1/organization', { body })),
  }
})

type Schemas = components['schemas']

function read<T>({ data, error }: { data?: T; error?: Schemas['Problem'] | Schemas['GatewayMessage'] }): T {
  if (error && 'code' in error) throw new Refused(error)
  if (error) throw new Error(error.message)
  return data as T
}

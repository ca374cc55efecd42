import { Api, type GatewayMessage, type HttpResponse, type Problem } from './generated/swagger-typescript-api.ts'
import { journey, Refused } from './journey.ts'

await journey(({ baseUrl, apiKey, agentId }) => {
  const { v1 } = new Api({ baseUrl, baseApiParams: { headers: { 'X-API-Key': apiKey } } })
  return {
    createDocument: (body) => read(v1.createDocument(agentId, body)),
    getDocument: (documentId) => read(v1.getDocument(agentId, documentId)),
    updateDocument: (documentId, body) => read(v1.updateDocument(agentId, documentId, body)),
    deleteDocument: (documentId) => read(v1.deleteDocument(agentId, documentId)),
    listDocuments: (query) => read(v1.listDocuments(agentId, query)),
    createChunks: (documentId, chunks) => read(v1.createChunks(agentId, documentId, { chunks })),
    listChunks: (documentId, query) => read(v1.listChunks(agentId, documentId, query)),
    search: (body) => read(v1.search(agentId, body)),
    getOrganization: () => read(v1.getOrganization()),
    updateOrganization: (body) => read(v1.updateOrganization(body)),
  }
})

/** This client throws the response of a request that fails. */
// biome-ignore lint/suspicious/noConfusingVoidType: that is how it types a response without a body
async function read<T>(request: Promise<HttpResponse<T, Problem | GatewayMessage | void>>): Promise<T> {
  try {
    return (await request).data
  } catch (thrown) {
    const { error } = thrown as Awaited<typeof request>
    throw error && 'code' in error ? new Refused(error) : new Error(error?.message)
  }
}

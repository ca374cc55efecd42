import assert from 'node:assert/strict'
import type { z } from 'zod'
import * as api from './generated/orval.ts'
import * as schemas from './generated/orval-zod.ts'
import { journey, Refused } from './journey.ts'

await journey(({ apiKey, agentId }) => {
  const options = { headers: { 'X-API-Key': apiKey } }
  return {
    async createDocument(document) {
      const body = whole(schemas.CreateDocumentBody, document)
      const { status, data } = await api.createDocument(agentId, body, options)
      return status === 201 ? whole(schemas.CreateDocumentResponse, data) : refuse(data)
    },
    async getDocument(documentId) {
      const { status, data } = await api.getDocument(agentId, documentId, {}, options)
      return status === 200 ? whole(schemas.GetDocumentResponse, data) : refuse(data)
    },
    async updateDocument(documentId, update) {
      const body = whole(schemas.UpdateDocumentBody, update)
      const { status, data } = await api.updateDocument(agentId, documentId, body, options)
      return status === 200 ? whole(schemas.UpdateDocumentResponse, data) : refuse(data)
    },
    async deleteDocument(documentId) {
      const { status, data } = await api.deleteDocument(agentId, documentId, options)
      return status === 204 ? undefined : refuse(data)
    },
    async listDocuments(query) {
      const params = whole(schemas.ListDocumentsQueryParams, query)
      const { status, data } = await api.listDocuments(agentId, params, options)
      return status === 200 ? whole(schemas.ListDocumentsResponse, data) : refuse(data)
    },
    async createChunks(documentId, chunks) {
      const body = whole(schemas.CreateChunksBody, { chunks })
      const { status, data } = await api.createChunks(agentId, documentId, body, options)
      return status === 201 ? whole(schemas.CreateChunksResponse, data) : refuse(data)
    },
    async listChunks(documentId, query) {
      const params = whole(schemas.ListChunksQueryParams, query)
      const { status, data } = await api.listChunks(agentId, documentId, params, options)
      return status === 200 ? whole(schemas.ListChunksResponse, data) : refuse(data)
    },
    async search(query) {
      const body = whole(schemas.SearchBody, query)
      const { status, data } = await api.search(agentId, body, options)
      return status === 200 ? whole(schemas.SearchResponse, data) : refuse(data)
    },
    async getOrganization() {
      const { status, data } = await api.getOrganization(options)
      return status === 200 ? whole(schemas.GetOrganizationResponse, data) : refuse(data)
    },
    async updateOrganization(update) {
      const body = whole(schemas.UpdateOrganizationBody, update)
      const { status, data } = await api.updateOrganization(body, options)
      return status === 200 ? whole(schemas.UpdateOrganizationResponse, data) : refuse(data)
    },
  }
})

/** @throws AssertionError when the zod schema drops, adds or changes anything */
function whole<S extends z.ZodType>(schema: S, value: z.input<S>): z.output<S> {
  const parsed = schema.parse(value)
  assert.deepEqual(parsed, value)
  return parsed
}

// biome-ignore lint/suspicious/noConfusingVoidType: that is how it types a response without a body
function refuse(problem: api.Problem | api.GatewayMessage | void): never {
  if (problem && 'code' in problem) throw new Refused(problem)
  throw new Error(problem?.message)
}

import { deletionQuery, restorationQuery } from '../../shared/documents/contract/input.ts'
import { byId, listQuery, pageOf, readAfter, respondPage } from '../../shared/http/pagination.ts'
import type { Router } from '../../shared/http/router.ts'
import { deleteWebsite } from '../../shared/websites/delete-website.ts'
import { restoreWebsite } from '../../shared/websites/restore-website.ts'
import {
  createWebsite,
  getWebsite,
  listPages,
  listWebsites,
  refreshWebsite,
  updateWebsite,
} from '../../shared/websites/websites.ts'
import type { Sender } from '../../shared/work/outbox.ts'
import {
  createBody,
  pageExampleOfWebsite,
  pageSchemaOfWebsite,
  pageSortKey,
  updateBody,
  websiteExample,
  websiteSchema,
  websitesQuery,
} from './website-schemas.ts'

const collection = '/v1/agents/:agentId/sources'
const one = `${collection}/:sourceId`
const aWebsite = { description: 'The source', schema: websiteSchema, example: websiteExample }
const pending = { ...websiteExample, status: 'pending' } as const

export function addWebsiteRoutes(routes: Router, queue: Sender | undefined) {
  routes
    .get(
      collection,
      {
        operationId: 'listSources',
        summary: 'List sources',
        description: 'Newest first.',
        permission: 'kb:read',
        query: websitesQuery,
        responses: pageOf('sources', websiteSchema, websiteExample),
      },
      async ({ c, key, db, scope, query: { limit, cursor, trashed = false } }) => {
        const list = `${trashed ? 'trashed ' : ''}sources ${scope.agentId}`
        const [after] = readAfter(key, list, cursor, byId) ?? []
        const { sources, hasMore } = await listWebsites(db, scope, { limit, after, trashed })
        return respondPage(c, key, list, sources, hasMore ? [sources.at(-1)!.id] : undefined)
      },
    )
    .post(
      collection,
      {
        operationId: 'createSource',
        summary: 'Create a source',
        description:
          'The service reads the pages in the background, and again every `refresh_hours`. Each page becomes a document with the page’s address as its `external_id`. An organization can have 20 sources with 5,000 pages.',
        permission: 'kb:write',
        body: createBody,
        examples: { site: { url: 'https://paws-inn.example/', exclude: ['/blog/*'] } },
        responses: {
          201: { ...aWebsite, example: { ...pending, page_count: 0, checked_at: null }, headers: ['Location'] },
        },
        errors: ['source_exists'],
      },
      async ({ c, db, scope, origin, body }) => {
        const created = await createWebsite({ db, queue }, scope, body, origin)
        c.header('location', `/v1/agents/${scope.agentId}/sources/${created.id}`)
        return c.json(created, 201)
      },
    )
    .get(
      one,
      {
        operationId: 'getSource',
        summary: 'Get a source',
        permission: 'kb:read',
        responses: { 200: aWebsite },
      },
      async ({ c, db, scope }) => c.json(await getWebsite(db, scope)),
    )
    .patch(
      one,
      {
        operationId: 'updateSource',
        summary: 'Update a source',
        description:
          'New paths start a crawl at once, which deletes the documents of pages that are no longer included.',
        permission: 'kb:write',
        body: updateBody,
        examples: { hourly: { refresh_hours: 1 } },
        responses: { 200: aWebsite },
      },
      async ({ c, db, scope, origin, body }) => c.json(await updateWebsite({ db, queue }, scope, body, origin)),
    )
    .delete(
      one,
      {
        operationId: 'deleteSource',
        summary: 'Delete a source',
        description:
          'Deletes the source with its documents, except those whose content a client has changed. Thousands are deleted in the background: the source is listed as `deleting` until the last is gone. With `trash=true` both go into the trash, and can be [restored](#restoreSource) for 30 days.',
        permission: 'kb:write',
        query: deletionQuery,
        responses: {
          202: {
            description: 'The source, whose documents are still being deleted',
            schema: websiteSchema,
            example: { ...websiteExample, status: 'deleting' },
          },
          204: { description: 'The source and its documents are gone' },
        },
      },
      async ({ c, db, scope, origin, query }) => {
        const { ignore_golden_questions: ignores, trash: toTrash } = query
        const rest = await deleteWebsite({ db, queue }, scope, { ignores, toTrash }, origin)
        return rest ? c.json(rest, 202) : c.body(null, 204)
      },
    )
    .post(
      `${one}/restore`,
      {
        operationId: 'restoreSource',
        summary: 'Restore a source',
        description:
          'Brings a source back from the trash, with the documents that went there with it, and starts a crawl of its pages. A source that is not in the trash stays as it is.',
        permission: 'kb:write',
        query: restorationQuery,
        responses: { 200: { ...aWebsite, example: pending } },
        errors: ['source_exists', 'external_id_conflict', 'validation_failed', 'rate_limited'],
      },
      async ({ c, db, scope, origin, query: { ignore_golden_questions: ignores } }) =>
        c.json(await restoreWebsite({ db, queue }, scope, origin, ignores)),
    )
    .post(
      `${one}/refresh`,
      {
        operationId: 'refreshSource',
        summary: 'Refresh a source',
        description: 'Starts a crawl of its pages: poll its status until it is no longer `pending`.',
        permission: 'kb:write',
        responses: { 202: { ...aWebsite, example: pending } },
      },
      async ({ c, db, scope, origin }) => c.json(await refreshWebsite({ db, queue }, scope, origin), 202),
    )
    .get(
      `${one}/pages`,
      {
        operationId: 'listSourcePages',
        summary: 'List the pages of a source',
        description: 'Sorted by address, including the pages that are left out.',
        permission: 'kb:read',
        query: listQuery,
        responses: pageOf('pages', pageSchemaOfWebsite, pageExampleOfWebsite),
      },
      async ({ c, key, db, scope, query: { limit, cursor } }) => {
        const list = `pages ${scope.agentId} ${scope.sourceId}`
        const [after] = readAfter(key, list, cursor, pageSortKey) ?? []
        const { pages, hasMore } = await listPages(db, scope, { limit, after })
        return respondPage(c, key, list, pages, hasMore ? [pages.at(-1)!.address] : undefined)
      },
    )
}

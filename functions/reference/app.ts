import type { Context, Handler } from 'hono'
import * as v from 'valibot'
import { type ApiEnv, api } from '../../shared/http/api.ts'
import { assetResponder } from '../../shared/http/asset.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { attachRouteMetadata, type ResponseMetadata, type RouteMetadata } from '../../shared/http/route-metadata.ts'
import { pageFiles, renderPage } from './page.ts'

const cached = ['ETag', 'Vary']
const stored = [...cached, 'Content-Encoding', 'X-Content-Type-Options']

type Public = Pick<RouteMetadata, 'operationId' | 'summary' | 'responses'> & Partial<RouteMetadata>

/** A route that needs no key. */
function open(operation: Public, handler: (c: Context<ApiEnv>) => Response): Handler<ApiEnv> {
  attachRouteMetadata(handler as Handler, { tag: 'Reference', permission: 'none', ...operation })
  return handler
}

function asset(ok: ResponseMetadata) {
  const notModified = { description: 'Not modified since the version in If-None-Match', headers: cached }
  return { 200: { headers: stored, ...ok }, 304: notModified }
}

/** Redirects people who type only the host. `/dashboard/` arrives here, since `{proxy+}` does not match an empty rest. */
function redirectTo(path: string) {
  const responses = { 302: { description: 'The page is elsewhere', headers: ['Location'] } }
  const operation = { operationId: 'redirect', isUndocumented: true, summary: `Go to ${path}`, responses } as const
  return open(operation, (c) => c.redirect(path))
}

/** The OpenAPI document, the page that shows it, and the 404 for every route that no other Lambda serves. */
export function referenceApp({ document }: { document: string }) {
  let respondPage: ReturnType<typeof assetResponder> | undefined
  const getOpenApi = {
    operationId: 'getOpenApi',
    summary: 'Get this document',
    responses: asset({ description: 'The OpenAPI document', schema: v.looseObject({}) }),
  }
  const getDocs = {
    operationId: 'getDocs',
    isUndocumented: true,
    summary: 'Read this document in a browser',
    responses: asset({
      description: 'The page',
      mediaTypes: ['text/html'],
      headers: [...stored, 'Content-Security-Policy', 'Referrer-Policy'],
    }),
  } satisfies Public
  const getDocsFile = {
    operationId: 'getDocsFile',
    isUndocumented: true,
    summary: 'Get a file of the documentation page',
    params: v.object({ file: v.string() }),
    responses: asset({ description: 'The file', mediaTypes: ['text/javascript', 'text/css'] }),
    errors: ['route_not_found'],
  } satisfies Public

  return api()
    .get('/', redirectTo('/v1/docs'))
    .get('/docs', redirectTo('/v1/docs'))
    .get('/dashboard/', redirectTo('/dashboard'))
    .get('/v1/openapi.json', open(getOpenApi, assetResponder({ mediaType: 'application/json', body: document })))
    .get(
      '/v1/docs',
      open(getDocs, (c) => {
        respondPage ??= assetResponder(renderPage(document))
        return respondPage(c)
      }),
    )
    .get(
      '/v1/docs/:file',
      open(getDocsFile, (c) => {
        const response = pageFiles.respond(c, c.req.param('file')!)
        if (!response) throw new ApiError('route_not_found', 'All routes are documented at /v1/docs.')
        return response
      }),
    )
}

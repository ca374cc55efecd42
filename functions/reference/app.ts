import * as v from 'valibot'
import { api } from '../../shared/http/api.ts'
import { assetResponder } from '../../shared/http/asset.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { publicEndpoint } from '../../shared/http/route-metadata.ts'
import { pageFiles, renderPage } from './page.ts'

const cached = ['ETag', 'Vary']
const notModified = { description: 'Not modified since the version in If-None-Match', headers: cached }
const stored = [...cached, 'Content-Encoding', 'X-Content-Type-Options']

/** Redirects people who type only the host. `/dashboard/` comes here, as `{proxy+}` matches no empty rest. */
const redirectTo = (path: string) =>
  publicEndpoint(
    {
      operationId: 'redirect',
      tag: 'Reference',
      isUndocumented: true,
      summary: `Go to ${path}`,
      permission: 'none',
      responses: { 302: { description: 'The page is elsewhere', headers: ['Location'] } },
    },
    (c) => c.redirect(path),
  )

/** The OpenAPI document, the page that shows it, and the 404 for every route that no other Lambda serves. */
export function referenceApp({ document }: { document: string }) {
  const respondDocument = assetResponder({ mediaType: 'application/json', body: document })
  let respondPage: ReturnType<typeof assetResponder> | undefined

  return api()
    .get('/', redirectTo('/v1/docs'))
    .get('/docs', redirectTo('/v1/docs'))
    .get('/dashboard/', redirectTo('/dashboard'))
    .get(
      '/v1/openapi.json',
      publicEndpoint(
        {
          operationId: 'getOpenApi',
          tag: 'Reference',
          summary: 'Get this document',
          permission: 'none',
          responses: {
            200: { description: 'The OpenAPI document', schema: v.looseObject({}), headers: stored },
            304: notModified,
          },
        },
        respondDocument,
      ),
    )
    .get(
      '/v1/docs',
      publicEndpoint(
        {
          operationId: 'getDocs',
          isUndocumented: true,
          tag: 'Reference',
          summary: 'Read this document in a browser',
          description:
            'A page that shows this document and can send requests with your key. It loads nothing from other hosts.',
          permission: 'none',
          responses: {
            200: {
              description: 'The page',
              mediaTypes: ['text/html'],
              headers: [...stored, 'Content-Security-Policy', 'Referrer-Policy'],
            },
            304: notModified,
          },
        },
        (c) => {
          respondPage ??= assetResponder(renderPage(document))
          return respondPage(c)
        },
      ),
    )
    .get(
      '/v1/docs/:file',
      publicEndpoint(
        {
          operationId: 'getDocsFile',
          isUndocumented: true,
          tag: 'Reference',
          summary: 'Get a file of the documentation page',
          permission: 'none',
          params: v.object({ file: v.pipe(v.string(), v.description('The name of the file, with its version.')) }),
          responses: {
            200: { description: 'The file', mediaTypes: ['text/javascript', 'text/css'], headers: stored },
            304: notModified,
          },
          errors: ['route_not_found'],
        },
        (c) => {
          const response = pageFiles.respond(c, c.req.param('file')!)
          if (!response) throw new ApiError('route_not_found', 'All routes are documented at /v1/docs.')
          return response
        },
      ),
    )
}

import * as v from 'valibot'
import { api } from '../../shared/http/api.ts'
import { publicEndpoint } from '../../shared/http/endpoint.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { assetResponder } from './asset.ts'
import { page, pageFiles } from './page.ts'

const cached = ['ETag', 'Vary']
const notModified = { description: 'Not modified since the version in If-None-Match', headers: cached }
const stored = [...cached, 'Content-Encoding', 'X-Content-Type-Options']

/** For who types the host alone, or guesses. */
const leadToDocs = publicEndpoint(
  {
    operationId: 'leadToDocs',
    tag: 'Reference',
    isUndocumented: true,
    summary: 'Go to the reference',
    permission: 'none',
    responses: { 302: { description: 'The reference is elsewhere', headers: ['Location'] } },
  },
  (c) => c.redirect('/v1/docs'),
)

/** The OpenAPI document, the page that shows it, and the 404 for every route that no other Lambda serves. */
export function referenceApp({ document }: { document: string }) {
  const respondDocument = assetResponder({ mediaType: 'application/json', body: document })
  const respondPage = assetResponder(page)
  const respondFile = new Map<string, ReturnType<typeof assetResponder>>()

  return api()
    .get('/', leadToDocs)
    .get('/docs', leadToDocs)
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
        respondPage,
      ),
    )
    .get(
      '/v1/docs/:file',
      publicEndpoint(
        {
          operationId: 'getDocsFile',
          tag: 'Reference',
          summary: 'Get a file of the documentation page',
          permission: 'none',
          params: v.object({
            file: v.pipe(v.picklist(Object.keys(pageFiles)), v.description('The name of the file.')),
          }),
          responses: {
            200: { description: 'The file', mediaTypes: ['text/javascript', 'text/css'], headers: stored },
            304: notModified,
          },
          errors: ['route_not_found'],
        },
        (c) => {
          const file = c.req.param('file')!
          const asset = Object.hasOwn(pageFiles, file) ? pageFiles[file] : undefined
          if (!asset) throw new ApiError('route_not_found', 'All routes are documented at /v1/docs.')
          const respond = respondFile.get(file) ?? assetResponder(asset())
          respondFile.set(file, respond)
          return respond(c)
        },
      ),
    )
}

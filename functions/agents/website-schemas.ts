import * as v from 'valibot'
import { config } from '../../shared/config.ts'
import { flag } from '../../shared/documents/contract/input.ts'
import { described, fields, integer, listOf, maxCharacters, someOf } from '../../shared/http/input/fields.ts'
import { listQuery } from '../../shared/http/pagination.ts'
import { isAllowedUrl, urlFault } from '../../shared/outbound/addresses.ts'

export const websitesQuery = fields({ ...listQuery.entries, trashed: flag('Only sources in the trash.') })

export const pageSortKey = v.strictTuple([v.string()])

const path = v.pipe(
  v.string('must be a string'),
  v.startsWith('/', 'must begin with /'),
  maxCharacters(500),
  v.metadata({ maxLength: 500 }),
)
const paths = listOf(path, { items: 'paths', max: 50 })

const settings = {
  include: described(
    paths,
    'Reads only pages whose path is one of these, where `*` stands for any characters. An empty list allows all.',
  ),
  exclude: described(paths, 'Reads no page whose path is one of these, where `*` stands for any characters.'),
  refresh_hours: described(integer(1, 720), 'The hours from one crawl of the pages to the next.'),
}

export const createBody = v.pipe(
  fields({
    url: v.pipe(
      v.string('must be a string'),
      maxCharacters(1000),
      v.check(
        (url) => isAllowedUrl(url, { isLoopbackAllowed: config().ALLOW_LOOPBACK }),
        ({ input }) => urlFault(input, { isLoopbackAllowed: config().ALLOW_LOOPBACK }),
      ),
      v.metadata({ format: 'uri', maxLength: 1000 }),
    ),
    kind: v.optional(
      described(
        v.picklist(['page', 'sitemap', 'site'], 'must be page, sitemap or site'),
        'The address belongs to one `page`; to a `sitemap`, whose pages are read; or to a `site`, of which up to 500 linked pages within its host and path are read.',
      ),
      'site',
    ),
    include: v.optional(settings.include, []),
    exclude: v.optional(settings.exclude, []),
    refresh_hours: v.optional(settings.refresh_hours, 24),
  }),
  v.title('NewSource'),
)

export const updateBody = v.pipe(someOf(settings), v.metadata({ title: 'SourceUpdate', minProperties: 1 }))

const time = v.pipe(v.string(), v.isoTimestamp())

export const websiteSchema = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.uuid()),
    url: v.string(),
    kind: v.picklist(['page', 'sitemap', 'site']),
    include: v.array(v.string()),
    exclude: v.array(v.string()),
    refresh_hours: v.pipe(v.number(), v.integer()),
    status: described(
      v.picklist(['pending', 'ready', 'error', 'deleting']),
      '`pending` until the requested crawl has ended; `error` if that failed: the documents stay as they were, and it is tried again; `deleting` while its documents are being deleted, and in the trash.',
    ),
    error_message: described(v.nullable(v.string()), 'The failure; null unless the status is `error`.'),
    notice: described(v.nullable(v.string()), 'Says which limit left pages out; null if none did.'),
    page_count: v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description('The number of its documents, one for each page.'),
    ),
    checked_at: described(v.nullable(time), 'When the last crawl of all pages ended.'),
    next_check_at: described(time, 'When the next crawl begins; in the trash, when the source is deleted for good.'),
    deleted_at: described(v.nullable(time), 'When it was put into the trash; null unless it is there.'),
    created_at: time,
  }),
  v.title('Source'),
)

export const websiteExample: v.InferOutput<typeof websiteSchema> = {
  id: '01981f60-11d4-7e0b-a2c5-0f6d3b9a8e47',
  url: 'https://paws-inn.example/',
  kind: 'site',
  include: [],
  exclude: ['/blog/*'],
  refresh_hours: 24,
  status: 'ready',
  error_message: null,
  notice: null,
  page_count: 14,
  checked_at: '2026-03-02T03:04:51.118Z',
  next_check_at: '2026-03-03T02:31:07.000Z',
  deleted_at: null,
  created_at: '2026-03-01T17:20:00.000Z',
}

export const pageSchemaOfWebsite = v.pipe(
  v.strictObject({
    address: described(v.string(), 'Also the `external_id` of its document.'),
    document_id: described(v.nullable(v.string()), 'Its document; null if it has none.'),
    left_out: described(
      v.nullable(v.string()),
      'Why it has no document, or an outdated one; null if the document is up to date.',
    ),
    gone_since: described(
      v.nullable(time),
      'When it was first found to be gone. Its document is deleted if it still is a day later.',
    ),
    looked_at: described(v.nullable(time), 'When it was last looked at; null if not yet.'),
  }),
  v.title('SourcePage'),
)

export const pageExampleOfWebsite: v.InferOutput<typeof pageSchemaOfWebsite> = {
  address: 'https://paws-inn.example/prices',
  document_id: '01981f3e-7f10-7c54-b1f5-3d1a5e0f9c21',
  left_out: null,
  gone_since: null,
  looked_at: '2026-03-02T03:04:12.530Z',
}

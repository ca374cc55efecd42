import { beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../infra/admin/keys.ts'
import { errorsOf } from '../../infra/openapi/problems.ts'
import { type ErrorCode, problems } from '../../shared/http/errors.ts'
import { bodyLimit } from '../../shared/http/input/json-body.ts'
import { newId } from '../../shared/ids.ts'
import { exampleBody, fill, keyedRoutes, makeDocument } from '../support/http/operations.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()

interface Request {
  method: string
  path: string
  headers: Record<string, string>
  body: string
  /** A key of the same organization that may only read. */
  weakKey: string
}

/** Makes a sound request faulty. */
type Spoiled = (request: Request) => Partial<Request>

const method: Spoiled = () => ({ method: 'PUT' })
const key: Spoiled = ({ headers }) => ({ headers: { ...headers, 'x-api-key': 'cue_no' } })
const permission: Spoiled = ({ headers, weakKey }) => ({ headers: { ...headers, 'x-api-key': weakKey } })
const parameter: Spoiled = ({ path }) => ({ path: `${path}?frobnicate=1` })
const mediaType: Spoiled = ({ headers }) => ({ headers: { ...headers, 'content-type': 'text/plain' } })
const size: Spoiled = ({ body }) => ({ body: body.padEnd(bodyLimit + 1) })
const noJson: Spoiled = ({ body }) => ({ body: body.replace('{', '[') })
const schema: Spoiled = ({ body }) => ({ body: body.replace('{', '{"frobnicate":1,') })
const existence: Spoiled = ({ path }) => ({ path: path.replace(/[0-9a-f-]{36}(?=$|\?)/, newId()) })
const ifMatch: Spoiled = ({ headers }) => ({ headers: { ...headers, 'if-match': '"0"' } })
/** The sound request itself, while the service processes its document. */
const state: Spoiled = () => ({})

const inOrder: [ErrorCode, Spoiled][] = [
  ['method_not_allowed', method],
  ['invalid_api_key', key],
  ['missing_permission', permission],
  ['invalid_parameter', parameter],
  ['unsupported_media_type', mediaType],
  ['payload_too_large', size],
  ['invalid_json', noJson],
  ['validation_failed', schema],
  ['document_not_found', existence],
  ['precondition_failed', ifMatch],
  ['processing_in_progress', state],
]

/** Pairs each fault with the next one. A body that is not JSON breaks no schema, so it is paired with the one after. */
const neighbours = inOrder.slice(0, -1).map(([code, first], i) => {
  const [later, second] = inOrder[i + (first === noJson ? 2 : 1)]!
  return { code, first, later, second }
})

describe('of two faults the answer names the one that is checked first', () => {
  let sound: Request
  beforeAll(async () => {
    const tenant = await stand.tenant()
    const organizationId = tenant.organizationId as never
    const weak = await createKey(stand.db, { organizationId, name: 'weak', permissions: ['kb:read'] })
    const { documentId } = await makeDocument(tenant)
    sound = {
      method: 'PATCH',
      path: `${tenant.knowledgeBase}/${documentId}`,
      headers: { 'x-api-key': tenant.apiKey },
      body: JSON.stringify({ status: 'completed' }),
      weakKey: weak.key,
    }
  })

  test.each(neighbours)('$code before $later', async ({ code, first, second }) => {
    const request = { ...sound }
    // Applies the later fault first, so that an invalid key replaces one that lacks the permission.
    Object.assign(request, second(request))
    Object.assign(request, first(request))
    const answer = await stand.http(request.method, request.path, request.body, request.headers)
    expect(answer).toMatchObject({ status: problems[code].status, body: { code } })
  })
})

test('a cursor of another list is refused before the agent is looked up', async () => {
  const { call } = await stand.tenant()
  for (const route of keyedRoutes.filter(({ operation }) => errorsOf(operation).includes('invalid_cursor'))) {
    const path = fill(route.path, { agentId: newId(), documentId: newId() })
    const answer = await call(route.method, `${path}?cursor=AAAA`, exampleBody(route))
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
  }
})

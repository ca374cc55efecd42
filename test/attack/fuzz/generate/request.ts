import fc from 'fast-check'
import type { Operation, Parameter } from '../document.ts'
import { deadKeys, documentNames, narrowKeys, type Who } from '../world.ts'
import { faulty, spoiledExample } from './faulty.ts'
import { text, valid } from './valid.ts'

export type Kind = 'valid' | 'nearly valid' | 'hostile'

/** A generated request. Its texts may have names from the world, see `named`. */
export interface FuzzRequest {
  kind: Kind
  operation: Operation
  who: Who
  /** The sender's key, and the way to send it. */
  key: string
  carrier: 'own' | 'bearer' | 'both' | 'differing' | 'none'
  method: string
  ids: Record<string, string>
  /** Replaces the operation's path. */
  path?: string
  query: [string, string][]
  headers: Record<string, string>
  /** Sent as JSON, unless there are `bytes`. Absent if the request has no body. */
  body?: unknown
  bytes?: string | Uint8Array
}

const who = fc.constantFrom<Who>('A', 'B')

/** A request that the document allows, with a sufficient key, for things that the sender has. */
export function validRequest(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const { body, examples, method } = operation
  return fc.record({
    kind: fc.constant<Kind>('valid'),
    operation: fc.constant(operation),
    who,
    key: fc.constantFrom('full', 'full', operation.permission?.replace(':', '_') ?? 'full'),
    carrier: fc.constantFrom<FuzzRequest['carrier']>('own', 'own', 'bearer', 'both'),
    method: fc.constantFrom(...(method === 'GET' ? ['GET', 'GET', 'GET', 'HEAD'] : [method])),
    ids: ownIds,
    query: chosen(operation, 'query').map((made) => Object.entries(made)),
    headers: chosen(operation, 'header'),
    ...(body && { body: fc.oneof(valid(body), fc.constantFrom(...examples)) }),
  }) as fc.Arbitrary<FuzzRequest>
}

const idsOf = (agentId: string, documentId: string, goldenQuestionId: string) => ({
  agentId: `<${agentId}>`,
  documentId: `<${documentId}>`,
  goldenQuestionId: `<${goldenQuestionId}>`,
  revision: '1',
  externalId: `<${documentId}>`,
  sourceId: `<${goldenQuestionId.replace('golden', 'source').replace('nephewGolden', 'nephewSource')}>`,
  webhookId: `<${agentId.split('.')[0]}.webhook>`,
  deliveryId: `<${agentId.split('.')[0]}.delivery>`,
})
const ownDocuments = documentNames.map((name) => idsOf('mine.agent', `mine.${name}`, 'mine.golden'))
const ownIds = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...ownDocuments) },
  { weight: 1, arbitrary: fc.constant(idsOf('mine.agent^', 'mine.completed^', 'mine.golden^')) },
  { weight: 1, arbitrary: fc.constant(idsOf('mine.sibling', 'mine.nephew', 'mine.nephewGolden')) },
)

function chosen(operation: Operation, place: Parameter['in']): fc.Arbitrary<Record<string, string>> {
  const wanted = operation.parameters.filter((parameter) => parameter.in === place)
  const values = Object.fromEntries(wanted.map((each) => [each.name, validValue(operation, each)]))
  const requiredKeys = wanted.flatMap(({ name, required }) => (required ? [name] : []))
  return fc.record(values, { requiredKeys }) as fc.Arbitrary<Record<string, string>>
}

const cursorsOf: Record<string, string[]> = {
  listDocuments: ['<mine.documentsCursor>', '<mine.filteredCursor>'],
  listChunks: ['<mine.chunksCursor>'],
  listAgents: ['<mine.agentsCursor>'],
  listQuestions: ['<mine.questionsCursor>'],
  listRevisions: ['<mine.revisionsCursor>'],
  listGoldenQuestions: ['<mine.checkCursor>'],
  listWebhooks: ['<mine.webhooksCursor>'],
  listDeliveries: ['<mine.deliveriesCursor>'],
  listSources: ['<mine.sourcesCursor>'],
  listSourcePages: ['<mine.pagesCursor>'],
  // A small agent's snapshot has one part, so none is valid.
  getSnapshot: ['<mine.documentsCursor>'],
}

function validValue({ id }: Operation, { name, schema }: Parameter): fc.Arbitrary<string> {
  if (name === 'cursor') return fc.constantFrom(...cursorsOf[id]!)
  const tags = fc.constantFrom('<mine.etagCompleted>', '<mine.etagOwn>', '*')
  const any = valid(schema).map((value) => String(value).replaceAll(/\s/g, ' ').trim() || '"x"')
  return /^If-/.test(name) ? fc.oneof(tags, any) : any
}

/** A valid request with one fault, or with something that another sender owns. */
export function nearlyValidRequest(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const { body, examples, parameters } = operation
  const faults: fc.Arbitrary<Partial<FuzzRequest>>[] = [fc.record({ query: wrongQuery(operation) })]
  const headers = parameters.filter((parameter) => parameter.in === 'header')
  if (operation.permission)
    faults.push(
      fc.record({ key: fc.constantFrom(...deadKeys, ...narrowKeys) }),
      fc.record({ carrier: fc.constantFrom<FuzzRequest['carrier']>('differing', 'none') }),
    )
  if (/\{(agent|webhook)Id\}/.test(operation.path))
    faults.push(fc.record({ ids: wrongIds }), fc.record({ ids: wrongIds }))
  if (headers.length > 0) faults.push(fc.record({ headers: wrongHeaders(headers) }))
  if (body) {
    const spoiled = fc.record({ body: fc.oneof(faulty(body), ...examples.map(spoiledExample)) })
    faults.push(spoiled, spoiled, spoiled, fc.record({ headers: wrongMediaType }), fc.constant({ body: undefined }))
  }
  return fc
    .tuple(validRequest(operation), fc.oneof(...faults))
    .map(([request, fault]) => ({ ...request, ...fault, kind: 'nearly valid' }) as FuzzRequest)
}

const wrongIds = fc.oneof(
  fc
    .constantFrom(
      ...'theirs.agent theirs.completed theirs.golden/mine.agent theirs.completed theirs.golden'.split('/'),
      ...'theirs.agent mine.completed mine.golden/mine.agent mine.deleted mine.completed'.split('/'),
      ...'mine.agent mine.nephew mine.nephewGolden/mine.sibling mine.completed mine.golden'.split('/'),
      ...'mine.completed mine.agent mine.agent/never.id mine.completed mine.golden/mine.agent never.id never.id'.split(
        '/',
      ),
    )
    .map((names) => idsOf(...(names.split(' ') as [string, string, string]))),
  fc
    .tuple(
      fc.constant(ownDocuments[0]!),
      fc.constantFrom('agentId', 'documentId', 'goldenQuestionId', 'revision', 'externalId', 'sourceId'),
      segment(),
    )
    .map(([ids, variable, odd]) => ({ ...ids, [variable]: odd })),
)

/** A segment of a path that is no id. */
function segment(): fc.Arbitrary<string> {
  const odd = [...'<mine.completed>0 0 undefined null {agentId} % %2f ..%2f * ٣ 🚲 <mine.etagOwn>'.split(' '), 'a b']
  return fc
    .oneof(fc.constantFrom(...odd), text(1, 40))
    .map((value) => value.replaceAll(/[/\\?#]/g, '_').replace(/^\.{0,2}$/, '_'))
}

function wrongQuery(operation: Operation): fc.Arbitrary<[string, string][]> {
  const known = operation.parameters.filter((parameter) => parameter.in === 'query')
  const unknown = fc.constantFrom('page', 'debug', '__proto__', 'limit[]', 'Limit', 'cursor ', 'a')
  const times = (count: number, name: string, value: string) => Array<[string, string]>(count).fill([name, value])
  return fc.oneof(
    fc.tuple(unknown, text(0, 20)).map(([name, value]) => times(1, name, value)),
    ...known.map((parameter) => wrongValue(parameter).map((value) => times(1, parameter.name, value))),
    ...known.map((parameter) => validValue(operation, parameter).map((value) => times(2, parameter.name, value))),
  )
}

/** The value as a parameter's text. */
const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function wrongValue({ name, schema }: Parameter): fc.Arbitrary<string> {
  const any = fc.oneof(faulty(schema).map(asText), text(0, 30))
  return name === 'cursor' ? fc.oneof(wrongCursor, wrongCursor, any) : any
}

const ownCursor = fc.constantFrom(...Object.values(cursorsOf).flat())
const wrongCursor = fc.oneof(
  ownCursor.map((name) => name.replace('mine', 'theirs')),
  ownCursor,
  fc.tuple(ownCursor, fc.constantFrom('A', '=', ' ', '.', 'AAAA')).map((parts) => parts.join('')),
  fc
    .tuple(fc.uint8Array({ minLength: 0, maxLength: 24 }), fc.jsonValue({ maxDepth: 1 }))
    .map(([signature, key]) => Buffer.concat([signature, Buffer.from(JSON.stringify(key))]).toString('base64url')),
)

function wrongHeaders(parameters: Parameter[]): fc.Arbitrary<Record<string, string>> {
  const odd = fc.constantFrom('', ' ', '"', 'W/"', '"a" "b"', '"a",', ',', '\t', 'x'.repeat(300))
  return fc.oneof(
    ...parameters.map(({ name, schema }) =>
      fc.oneof(faulty(schema).map(asText), text(0, 30), odd).map((value) => ({ [name]: value })),
    ),
  )
}

const wrongMediaType = fc
  .constantFrom(
    ...'text/plain application/jsonp application/x-www-form-urlencoded */*'.split(' '),
    ...['', 'application/json, text/html', 'multipart/form-data; boundary=x', 'application/json; charset=utf-16'],
  )
  .map((type) => ({ 'content-type': type }))

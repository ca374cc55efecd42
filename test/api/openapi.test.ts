import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { allRoutes, routesOf } from '../../infra/openapi/apps.ts'
import { openApiDocument } from '../../infra/openapi/document.ts'
import { operationsPage } from '../../infra/openapi/operations.ts'
import { lambdas } from '../../infra/wiring.ts'
import { api } from '../../shared/http/api.ts'

const reference = new URL('../../functions/reference/', import.meta.url)
const text = readFileSync(new URL('openapi.json', reference), 'utf8')

test('the committed document is what the operations declare (else: npm run openapi)', () => {
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(openApiDocument())))
})

test('the page of operations is what all operations declare (else: npm run openapi)', () => {
  const page = readFileSync(new URL('operations.md', reference), 'utf8')
  expect(page).toBe(operationsPage())
  const operations = allRoutes().filter(({ operation }) => !operation.isUndocumented)
  expect(page.match(/^- `(GET|POST|PUT|PATCH|DELETE) /gm)).toHaveLength(operations.length)
})

test('every route of the API Gateway is documented, and every documented path is routed to the Lambda that declares it', () => {
  for (const [name, lambda] of Object.entries(lambdas)) {
    const declared = allRoutes()
      .filter((route) => route.lambda === name)
      .map((route) => route.path)
    const routed: readonly string[] = 'routes' in lambda ? lambda.routes : []
    const ofApi = routed
      // These are pages for people, and routes that OAuth's metadata describes.
      .filter((route) => !/^\/(dashboard|connect|\.well-known)\b/.test(route))
      .map((route) => route.replace(/by-external-id\/.+/, 'by-external-id/{externalId}'))
    if (!routed.includes('$default')) expect(new Set(declared)).toEqual(new Set(ofApi))
  }
})

test('a route whose handler declares no permission fails the document', () => {
  const app = api().get('/v1/secrets', (c) => c.text('open to all'))
  expect(() => routesOf('secrets', app)).toThrow('GET /v1/secrets of secrets has a handler without route metadata')
})

test('429 is documented with the gateway’s answer, and for routes with a key also with ours', () => {
  const { paths, components } = openApiDocument() as unknown as Record<string, Record<string, Record<string, Node>>>
  for (const { responses, security } of Object.values(paths!).flatMap((methods) => Object.values(methods))) {
    const name = (security as unknown[]).length > 0 ? 'RateLimited' : 'Throttled'
    expect((responses as Node)[429]).toEqual({ $ref: `#/components/responses/${name}` })
  }
  const { RateLimited, Throttled } = components!.responses!
  expect(Object.keys(Throttled!.content as Node)).toEqual(['application/json'])
  expect(Object.keys(RateLimited!.content as Node)).toEqual(['application/problem+json', 'application/json'])
})

interface Node {
  [key: string]: unknown
}

test('the document has nothing that generators misinterpret', () => {
  const { paths, components } = JSON.parse(text) as { paths: Record<string, Node>; components: Node }
  expect(Object.values(paths).filter((path) => 'head' in path)).toEqual([])
  const walk = (node: unknown, place: string) => {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    const schema = node as Node
    for (const keyword of ['not', 'if', 'then', 'else', 'default', 'prefixItems'])
      expect(schema, place).not.toHaveProperty(keyword)
    // It is a tuple, which no array of the caller fits.
    if (schema.type === 'array') expect(schema.minItems, place).not.toBe(schema.maxItems ?? 'unlimited')
    // An object that may have no fields.
    if (schema.type === 'object') expect(schema.properties ?? schema.additionalProperties, place).toBeTruthy()
    // A type beside that of the properties is mostly `unknown`, which accepts anything.
    if (schema.properties) expect(schema, place).not.toHaveProperty('anyOf')
    for (const [keyword, child] of Object.entries(schema)) {
      if (keyword === 'example' || keyword === 'examples') continue
      for (const part of Array.isArray(child) ? child : [child]) walk(part, `${place}/${keyword}`)
    }
  }
  walk(paths, '#/paths')
  walk(components, '#/components')
})

test('every example is valid against its schema', () => {
  const document = JSON.parse(text) as Node
  const ajv = new Ajv2020({ strict: false, validateSchema: false })
  formats.default(ajv)
  ajv.addFormat('json-pointer', true)
  ajv.addSchema(document, 'openapi')
  let checked = 0
  const walk = (node: unknown, pointer: string) => {
    if (typeof node !== 'object' || node === null) return
    const { schema, example, examples } = node as Node
    const values = [example, ...Object.values((examples ?? {}) as Record<string, Node>).map((named) => named.value)]
    for (const value of schema ? values.filter((candidate) => candidate !== undefined) : []) {
      const validate = ajv.compile({ $ref: `openapi${pointer}/schema` })
      expect(validate(value), `${pointer}: ${ajv.errorsText(validate.errors)}`).toBe(true)
      checked++
    }
    for (const [key, child] of Object.entries(node))
      walk(child, `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
  }
  walk(document, '#')
  expect(checked).toBeGreaterThan(25)
})

test('every body and every JSON answer has an example', () => {
  for (const { operation } of allRoutes()) {
    if (operation.body) expect(Object.keys(operation.examples ?? {}), operation.operationId).not.toEqual([])
    for (const answer of Object.values(operation.responses))
      if (answer.schema && operation.permission !== 'none') expect(answer.example, operation.operationId).toBeDefined()
  }
})

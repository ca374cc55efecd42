import type { Context, Handler } from 'hono'
import * as v from 'valibot'
import type { ApiEnv } from './api.ts'
import type { Database } from './database.ts'
import { ApiError, type ErrorCode, type Fault } from './errors.ts'
import { readJson } from './json-body.ts'
import { type ApiKey, keyVerifier, type Permission } from './keys.ts'

type Schema = v.GenericSchema<unknown, unknown>
type Given = Schema | undefined
type Output<S> = S extends Schema ? v.InferOutput<S> : undefined

/** What an endpoint is, once: what runs checks requests against it, and the OpenAPI document is generated from it. */
export interface Operation<P = Given, Q = Given, H = Given, B = Given> {
  operationId: string
  tag: string
  summary: string
  description?: string
  /** What the caller's key must hold. There is no default: an endpoint without one does not compile. */
  permission: Permission
  params?: P
  query?: Q
  headers?: H
  body?: B
  /** Examples of a body, by name. */
  examples?: Record<string, unknown>
  /** Success answers by status. */
  answers: Record<number, Answer>
  /** Errors beyond those that every endpoint has (see `commonErrors`). */
  errors?: ErrorCode[]
}

export interface Answer {
  description: string
  schema?: Schema
  example?: unknown
  /** Header name → description. */
  headers?: Record<string, string>
}

/** A request that has passed every check that needs no look at the resource itself. */
export interface CheckedRequest<P, Q, H, B> {
  c: Context<ApiEnv>
  key: ApiKey
  /** The database, confined to the key's organization. */
  db: Database
  params: Output<P>
  query: Output<Q>
  headers: Output<H>
  body: Output<B>
}

const operationOf = new WeakMap<Handler, Operation>()

/** The operation that a route's handler was made from; undefined for a handler that no `endpoint` made. */
export function operation(handler: Handler): Operation | undefined {
  return operationOf.get(handler)
}

/**
 * Makes `endpoint(operation, handler)`, which checks in the documented order: key, permission, path and query parameters
 * and headers, media type, size, JSON, schema. The handler runs only when all hold.
 */
export function endpoints(db: Database, now?: () => number) {
  const verify = keyVerifier(db, now)

  return function endpoint<
    P extends Given = undefined,
    Q extends Given = undefined,
    H extends Given = undefined,
    B extends Given = undefined,
  >(op: Operation<P, Q, H, B>, handler: (request: CheckedRequest<P, Q, H, B>) => Promise<Response>): Handler<ApiEnv> {
    const run: Handler<ApiEnv> = async (c) => {
      const key = await verify(c.req.header('x-api-key'))
      if (!key.permissions.includes(op.permission))
        throw new ApiError('missing_permission', `This key lacks ${op.permission}.`, {
          extra: { required_permission: op.permission },
        })
      const faults: Fault[] = []
      const params = check(op.params, c.req.param(), (name) => ({ parameter: name }), faults)
      const query = check(op.query ?? noParameters, queryOf(c), (name) => ({ parameter: name }), faults)
      const headers = check(op.headers, c.req.header(), (name) => ({ header: name }), faults)
      if (faults.length > 0)
        throw new ApiError('invalid_parameter', 'See errors for each parameter.', { errors: faults })
      const body = op.body && parseBody(op.body, await readJson(c.req.raw))
      return await handler({
        c,
        key,
        db: db.forOrganization(key.organizationId),
        params: params as Output<P>,
        query: query as Output<Q>,
        headers: headers as Output<H>,
        body: body as Output<B>,
      })
    }
    operationOf.set(run as Handler, op as Operation)
    return run
  }
}

const noParameters = v.strictObject({})

/** A parameter given twice reaches the schema as an array, which no parameter is. */
function queryOf(c: Context): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [name, values.length > 1 ? values : values[0]!]),
  )
}

function check(
  schema: unknown,
  input: unknown,
  place: (name: string) => { parameter: string } | { header: string },
  faults: Fault[],
) {
  if (!schema) return undefined
  const result = v.safeParse(schema as Schema, input)
  if (result.success) return result.output
  faults.push(...result.issues.map((issue) => ({ ...place(String(issue.path?.[0]?.key ?? '')), ...explain(issue) })))
  return undefined
}

const mostFaults = 1000

function parseBody(schema: Schema, input: unknown): unknown {
  const result = v.safeParse(schema, input)
  if (result.success) return result.output
  const errors = result.issues.slice(0, mostFaults).map((issue) => ({ pointer: pointerOf(issue), ...explain(issue) }))
  throw new ApiError('validation_failed', 'See errors for each fault.', { errors })
}

/** RFC 6901 JSON Pointer to the value that the issue is about. */
function pointerOf(issue: v.BaseIssue<unknown>): string {
  return (issue.path ?? []).map((step) => `/${String(step.key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function explain(issue: v.BaseIssue<unknown>): { code: string; detail: string } {
  if (issue.kind === 'schema' && issue.expected === 'never')
    return { code: 'unknown_field', detail: 'is not a field here' }
  if (issue.kind === 'schema' && issue.received === 'undefined') return { code: 'required', detail: 'is required' }
  return { code: issue.kind === 'schema' ? 'wrong_type' : issue.type, detail: issue.message }
}

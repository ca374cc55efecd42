import type { Handler } from 'hono'
import type * as v from 'valibot'
import type { Permission } from './api-keys.ts'
import type { ErrorCode } from './errors.ts'

export type Schema = v.GenericSchema<unknown, unknown>
export type Given = Schema | undefined

/** What an endpoint is, once: what runs checks requests against it, and the OpenAPI document is generated from it. */
export interface RouteMetadata<P = Given, Q = Given, H = Given, B = Given> {
  operationId: string
  tag: string
  summary: string
  description?: string
  /**
   * What the caller's key must hold; `none` for what anybody may read, without a key. There is no default: an endpoint
   * that does not say it does not compile.
   */
  permission: Permission | 'none'
  params?: P
  query?: Q
  headers?: H
  body?: B
  /** Examples of a body, by name. */
  examples?: Record<string, unknown>
  /** Success answers by status. */
  answers: Record<number, Answer>
  /** Errors beyond those that every endpoint has. */
  errors?: ErrorCode[]
}

export interface Answer {
  description: string
  schema?: Schema
  example?: unknown
  /** Of a body that is no JSON, instead of a schema. */
  mediaTypes?: string[]
  /** Names of headers; what each means stands in the OpenAPI document's components. */
  headers?: string[]
}

const metadataOf = new WeakMap<Handler, RouteMetadata>()

/** The metadata that a route's handler was made from; undefined for a handler that was made without one. */
export function routeMetadata(handler: Handler): RouteMetadata | undefined {
  return metadataOf.get(handler)
}

/** Attaches to a handler what it is. */
export function attachRouteMetadata(handler: Handler, metadata: RouteMetadata): void {
  metadataOf.set(handler, metadata)
}

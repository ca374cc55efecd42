import type { Handler } from 'hono'
import type * as v from 'valibot'
import type { Permission } from '../organizations/permissions.ts'
import type { ErrorCode } from './errors.ts'

export type Schema = v.GenericSchema<unknown, unknown>
export type OptionalSchema = Schema | undefined

/** Requests are checked against it, and the OpenAPI document is generated from it. */
export interface RouteMetadata<P = OptionalSchema, Q = OptionalSchema, H = OptionalSchema, B = OptionalSchema> {
  operationId: string
  tag: string
  /** Left out of the OpenAPI document, since it is not part of the contract. */
  isUndocumented?: true
  summary: string
  description?: string
  /** `none` for a public endpoint. No default, so an endpoint without it does not compile. */
  permission: Permission | 'none'
  /** The caller sends an access token in place of a key. */
  isByToken?: true
  params?: P
  query?: Q
  headers?: H
  body?: B
  examples?: Record<string, unknown>
  responses: Record<number, ResponseMetadata>
  /** The errors that do not follow from the parts of the request that it reads. */
  errors?: ErrorCode[]
  /** After the checks of key and request, an error is part of a 200. */
  answersErrorsWith200?: true
}

export interface ResponseMetadata {
  description: string
  schema?: Schema
  example?: unknown
  mediaTypes?: string[]
  /** The media type of a body in which JSON of the schema is compressed. */
  compressedAs?: string
  headers?: string[]
}

const metadataOf = new WeakMap<Handler, RouteMetadata>()

export function routeMetadata(handler: Handler): RouteMetadata | undefined {
  return metadataOf.get(handler)
}

export function attachRouteMetadata(handler: Handler, metadata: RouteMetadata): void {
  metadataOf.set(handler, metadata)
}

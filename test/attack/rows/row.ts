/** A hostile request as API Gateway would pass it on. Missing parts are those of a valid request that lists documents. */
export interface Row {
  /** The fault of the request. */
  of: string
  method?: string
  /** The decoded path of the event. `KB`, `DOC` and `AGENT` become the tenant's knowledge base, document and agent. */
  path?: string
  query?: string
  /** `x-api-key` defaults to the tenant's key, and for a request with a body `content-type` to JSON. */
  headers?: Record<string, string>
  cookies?: string[]
  /** Bytes are sent as base64, text unchanged. */
  body?: string | Uint8Array
  isBase64Encoded?: boolean
  /** Status and, of a problem, its code. */
  answer: string
}

/** A row for each value, named after it. @param table the values by their answer */
export const rowsOf = <T>(make: (value: T) => Partial<Row>, table: Record<string, T[]>): Row[] =>
  Object.entries(table).flatMap(([answer, values]) =>
    values.map((value) => ({ of: `${JSON.stringify(value).slice(0, 60)}`, ...make(value), answer })),
  )

import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { GatewayResponse } from './own-responses.ts'

export interface FrontSettings {
  port: number
  host: string
  routes: readonly { route: string; functionName: string }[]
  corsOrigins: readonly string[]
  /** Requests in work at a time; what comes above is answered with 503 at once. */
  maxInFlight: number
  /** In which a request must have arrived, its body included. */
  receiveSeconds: number
}

/** What the thread that answers HTTP says to the one that runs the functions. */
export type FromFront =
  | { kind: 'listening'; port: number }
  | { kind: 'unavailable'; code: string | undefined; message: string }
  /** `route` is its place in the settings. */
  | { kind: 'event'; id: number; caller: string; route: number; event: APIGatewayProxyEventV2 }
  | { kind: 'foreign page'; origin: string }
  | { kind: 'fault'; error: unknown }

export type ToFront = { kind: 'response'; id: number; response: GatewayResponse } | { kind: 'close' }

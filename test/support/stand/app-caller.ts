import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Hono } from 'hono'
import { toEvent } from '../../../infra/local/gateway/event.ts'
import { invoke } from '../../../infra/local/lambda.ts'
import { type ApiEnv, lambdaHandler } from '../../../shared/http/api.ts'
import { assertDocumented } from '../http/contract.ts'
import { snapshotJson } from '../http/snapshot-json.ts'
import type { Answer } from './stand.ts'

/** A test's own app, called with raw events like its Lambda; a string is sent unchanged. @throws Error if an answer is undocumented */
export function callerOf(app: Hono<ApiEnv>, apiKey: string, sourceIp?: string) {
  const handler = lambdaHandler(app)
  return async (method: string, path: string, asked?: unknown, more: Record<string, string> = {}): Promise<Answer> => {
    const type = { ...(asked !== undefined && { 'content-type': 'application/json' }) }
    const headers = { 'x-api-key': apiKey, ...type, ...more }
    const sent = { ...(asked !== undefined && { body: typeof asked === 'string' ? asked : JSON.stringify(asked) }) }
    const event = toEvent({ method, url: path, ...(sourceIp && { sourceIp }), headers, ...sent }, ['$default'])!
    const result = await invoke(handler, event, { functionName: 'own', timeoutSeconds: 29 })
    const { statusCode, headers: said, body, isBase64Encoded } = result as APIGatewayProxyStructuredResultV2
    // Only a snapshot is binary.
    const text = body && isBase64Encoded ? snapshotJson(Buffer.from(body, 'base64')) : body
    const isText = String(said?.['content-type']).startsWith('text/')
    const read = text ? (isText ? text : JSON.parse(text)) : undefined
    const answer = { status: statusCode!, headers: said as Record<string, string>, body: read }
    assertDocumented(method, event.rawPath, answer)
    return answer
  }
}

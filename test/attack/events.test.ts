import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { beforeAll, expect, test } from 'vitest'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { dumpOf } from '../support/database/dump.ts'
import { makeDocument } from '../support/http/operations.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { bodies } from './rows/bodies.ts'
import { headers } from './rows/headers.ts'
import { methods } from './rows/methods.ts'
import { paths } from './rows/paths.ts'
import { queries } from './rows/queries.ts'
import { questions } from './rows/questions.ts'
import type { Row } from './rows/row.ts'

const stand = useStand()
let tenant: Tenant
let documentId: string
beforeAll(async () => {
  tenant = await stand.tenant()
  documentId = (await makeDocument(tenant)).documentId
  await stand.deliver()
})

const rows = { paths, queries, headers, methods, bodies, questions }

test.each(Object.entries(rows))(
  '%s are answered as their rows say, and a refused one changes no row',
  async (_, table) => {
    const before = await dumpOf(stand.pool)
    const isRefused = ({ answer }: Row) => Number.parseInt(answer, 10) >= 400
    for (const row of table.filter(isRefused)) await expectAnswer(row)
    expect(await dumpOf(stand.pool)).toEqual(before)
    for (const row of table) if (!isRefused(row)) await expectAnswer(row)
  },
)

async function expectAnswer(row: Row) {
  const { status, body, headers: sent } = await stand.send(eventOf(row))
  expect.soft([status, body?.code].filter((part) => part !== undefined).join(' '), row.of).toBe(row.answer)
  const { instance: _, ...said } = typeof body === 'object' ? body : { text: body }
  expect.soft(JSON.stringify([said, sent]), row.of).not.toMatch(/evil|node_modules|select |Error:|root:x/)
  for (const value of Object.values(sent)) expect.soft(value, row.of).not.toMatch(/[^\x20-\x7e]/)
}

function eventOf({ method = 'GET', path = 'KB', query = '', headers = {}, cookies, body, isBase64Encoded }: Row) {
  const rawPath = path
    .replace(/^KB/, tenant.knowledgeBase)
    .replace(/^DOC/, `${tenant.knowledgeBase}/${documentId}`)
    .replace(/^AGENT/, `/v1/agents/${tenant.agentId}`)
  const routes = stand.functions.routes.map(({ route }) => route)
  const event = toEvent({ method: 'GET', url: encodeURI(encodeURI(rawPath.toWellFormed())) }, routes)!
  const own = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('KEY', tenant.apiKey)])
  const bytes = body instanceof Uint8Array
  return {
    ...event,
    rawPath,
    rawQueryString: query,
    headers: {
      'x-api-key': tenant.apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...Object.fromEntries(own),
    },
    ...(cookies && { cookies }),
    requestContext: { ...event.requestContext, http: { ...event.requestContext.http, method, path: rawPath } },
    ...(body !== undefined && { body: bytes ? Buffer.from(body).toString('base64') : body }),
    isBase64Encoded: isBase64Encoded ?? bytes,
  } as APIGatewayProxyEventV2
}

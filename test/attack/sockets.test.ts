import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway } from '../../infra/local/gateway/gateway.ts'
import { dumpOf } from '../support/database/dump.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { connections } from './rows/connections.ts'

const stand = useStand()
let tenant: Tenant
let gateway: Awaited<ReturnType<typeof startGateway>>
let before: Awaited<ReturnType<typeof dumpOf>>
const faults: unknown[] = []
beforeAll(async () => {
  tenant = await stand.tenant()
  before = await dumpOf(stand.pool)
  const onError = (error: unknown) => faults.push(error)
  gateway = await startGateway({ port: 0, routes: stand.functions.routes, onError })
})
afterAll(() => gateway?.close())

const last = 'GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
const statusLines = /(?:^|\r\n|\})HTTP\/1\.1 (\d{3}) /g

/**
 * The answers of a connection to these bytes. After `count` of them it gets one more request, so that unexpected answers show.
 * Without a count the sender closes its side at once.
 */
async function answerTo(sent: string, count: number | undefined): Promise<{ text: string; statuses: string[] }> {
  const socket = connect(Number(new URL(gateway.origin).port), '127.0.0.1')
  // A reset connection returns the bytes received so far.
  socket.on('error', () => {})
  let text = ''
  const statuses = () => [...text.matchAll(statusLines)].map(([, status]) => status!)
  let isLastSent = false
  socket.on('data', (data) => {
    text += data.toString('latin1')
    if (isLastSent || count === undefined || statuses().length < count) return
    isLastSent = true
    socket.write(last)
  })
  const bytes = Buffer.from(sent.replaceAll('KEY', tenant.apiKey), 'latin1')
  if (count === undefined) socket.end(bytes)
  else socket.write(bytes)
  await once(socket, 'close')
  return { text, statuses: text.includes('"/last"') ? statuses().slice(0, -1) : statuses() }
}

describe('a connection', () => {
  test.each(connections)('gets the expected statuses for %s', async (_, sent, answer, isCut) => {
    const expected = answer.split(' ').filter((status) => status !== '')
    const mayBeLost = answer.includes('?')
    const { text, statuses } = await answerTo(sent, isCut || mayBeLost ? undefined : expected.length)
    if (mayBeLost) expect(expected.map((status) => status.slice(0, -1))).toEqual(expect.arrayContaining(statuses))
    else expect(statuses).toEqual(expected)
    for (const [head] of text.matchAll(/HTTP\/1\.1 [\s\S]*?\r\n\r\n/g)) expect(head).not.toMatch(/evil|set-cookie/i)
    expect(text).not.toMatch(/root:x|node_modules/)
  })

  test('of these disturbs no other request, changes no row, and causes no fault of the gateway', async () => {
    expect(await dumpOf(stand.pool)).toEqual(before)
    const response = await fetch(`${gateway.origin}/v1/organization`, { headers: { 'x-api-key': tenant.apiKey } })
    expect(response.status).toBe(200)
    expect(faults).toEqual([])
  })
})

import { expect, test } from 'vitest'
import { useGateway } from '../support/gateway.ts'
import { useStand } from '../support/stand.ts'

const stand = useStand()
const gateway = useGateway(stand)

test.each(['/', '/docs'])('%s leads to the reference, without a key', async (path) => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await fetch(`${gateway.origin}${path}`, { method, redirect: 'manual' })
    expect({ status: answer.status, to: answer.headers.get('location') }).toEqual({ status: 302, to: '/v1/docs' })
    expect(answer.headers.get('x-request-id')).toMatch(/./)
  }
  const page = await fetch(`${gateway.origin}${path}`)
  expect({ status: page.status, type: page.headers.get('content-type') }).toEqual({
    status: 200,
    type: 'text/html; charset=utf-8',
  })
})

test.each(['/', '/docs'])('%s is no part of the contract', async (path) => {
  const { paths } = (await stand.http('GET', '/v1/openapi.json')).body
  expect(Object.keys(paths)).not.toContain(path)
})

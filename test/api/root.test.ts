import { expect, test } from 'vitest'
import { useGateway } from '../support/stand/gateway.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()
const gateway = useGateway(stand)

test.each([
  ['/', '/v1/docs'],
  ['/docs', '/v1/docs'],
  ['/dashboard/', '/dashboard'],
])('%s leads to %s, without a key', async (path, to) => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await fetch(`${gateway.origin}${path}`, { method, redirect: 'manual' })
    expect({ status: answer.status, to: answer.headers.get('location') }).toEqual({ status: 302, to })
    expect(answer.headers.get('x-request-id')).toMatch(/./)
  }
  const page = await fetch(`${gateway.origin}${path}`)
  expect({ status: page.status, type: page.headers.get('content-type')?.toLowerCase() }).toEqual({
    status: 200,
    type: 'text/html; charset=utf-8',
  })
})

test('the reference links to the dashboard, and the dashboard to the reference', async () => {
  const link = async (path: string, text: string) => {
    const { url, html } = await fetch(`${gateway.origin}${path}`).then(async (page) => ({
      url: page.url,
      html: await page.text(),
    }))
    return new URL(new RegExp(`<a href="([^"]+)">${text}</a>`).exec(html)![1]!, url).pathname
  }
  expect(await link('/', 'dashboard')).toBe('/dashboard')
  expect(await link('/dashboard', 'API reference')).toBe('/v1/docs')
})

test.each(['/', '/docs', '/dashboard/'])('%s is not part of the contract', async (path) => {
  const { paths } = (await stand.http('GET', '/v1/openapi.json')).body
  expect(Object.keys(paths)).not.toContain(path)
})

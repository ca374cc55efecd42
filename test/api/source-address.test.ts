import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { expect, test, vi } from 'vitest'
import { toEvent } from '../../infra/local/gateway/event.ts'

/** The address that a Lambda of a stage sees. @param setting the stage's */
async function seenBy(setting: string | undefined, header: string): Promise<string> {
  vi.stubEnv('BEHIND_CLOUDFRONT', setting)
  const path = `../../shared/http/api.ts?behind=${setting}`
  const { api, lambdaHandler, websiteAddress } = (await import(path)) as typeof import('../../shared/http/api.ts')
  vi.unstubAllEnvs()
  const handler = lambdaHandler(api().get('/', (c) => c.text(websiteAddress(c))))
  const headers = { 'cloudfront-viewer-address': header }
  const event = toEvent({ method: 'GET', url: '/', headers, sourceIp: '192.0.2.1' }, ['$default'])
  return (await handler(event as APIGatewayProxyEventV2, {} as Context)).body!
}

test.each([
  ['198.51.100.10:46532', '198.51.100.10'],
  ['2001:db8::1:46532', '2001:db8::1'],
  ['nonsense', '192.0.2.1'],
])('behind CloudFront, a request comes from the viewer whom it names: %s', async (header, address) => {
  expect(await seenBy('true', header)).toBe(address)
  expect(await seenBy(undefined, header)).toBe('192.0.2.1')
})

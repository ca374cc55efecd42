import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Server as Listener } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { isAllowedUrl, OutboundRefused } from '../shared/outbound/addresses.ts'
import { OutboundFailed, request } from '../shared/outbound/request.ts'
import { broken, flooding, rawPeer, silent, unending } from './support/http/raw-peers.ts'

const listeners: Listener[] = []
afterAll(() => listeners.map((listener) => listener.close()))

const options = { method: 'GET', headers: {}, maxBytes: 1000, milliseconds: 5000, isLoopbackAllowed: false } as const

const local = [
  ...['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.1.1', '172.16.0.1', '100.64.0.1', '172.31.255.254'],
  '127.255.255.254',
]

function formsOf(address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = whole.toString(16).padStart(8, '0')
  const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`
  return [
    ...[address, `${address}.`, `${whole}`, `0x${hex}`, `0${whole.toString(8)}`, address.replace('.', '%2e')],
    ...[`0x${a.toString(16)}.${b}.${c}.${d}`, `0${a.toString(8)}.${b}.${c}.${d}`, `${a}.${b}.${c * 256 + d}`],
    ...[`${a}.${(b * 256 + c) * 256 + d}`, [...address].map((digit) => (digit === '.' ? '。' : digit)).join('')],
    ...[`[::ffff:${address}]`, `[::ffff:${groups}]`, `[::${groups}]`, `[64:ff9b::${groups}]`, `[64:ff9b:1::${groups}]`],
    ...[`[2002:${groups}::1]`, `[2001:0:${groups}::1]`, `[::ffff:0:${groups}]`],
  ]
}

const reserved = [
  ...['0.0.0.0', '0.1.2.3', '10.255.255.255', '100.127.255.255', '127.0.0.53', '169.254.0.1', '169.254.170.2'],
  ...['172.31.255.255', '192.0.0.1', '192.0.0.192', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1'],
  ...['192.168.0.1', '192.168.255.255', '192.175.48.1', '198.18.0.1', '198.19.255.255', '198.51.100.1'],
  ...['203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '0', '0x0', '127.1', '10.1'],
  ...['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]'],
  ...['[fdff:ffff::1]', '[ff02::1]', '[ff0e::1]', '[100::1]', '[2001::1]', '[2001:2::1]', '[2001:10::1]'],
  ...['[2001:20::1]', '[2001:db8::1]', '[2002::1]', '[3fff::1]', '[4000::1]', '[5f00::1]', '[8000::1]', '[e000::1]'],
]
const faulty = [
  ...['http://example.com/', 'ftp://example.com/', 'file:///etc/passwd', 'data:,x', 'gopher://example.com/', ''],
  ...['example.com', '//example.com', 'https://', 'https://user@example.com/', 'https://user:word@example.com/'],
  ...['https://example.com:22/', 'https://example.com:25/', 'https://example.com:80/', 'http://127.0.0.1:9000/'],
]
const localNames = [
  ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'db.internal', 'metadata.google.internal'],
  'printer.local',
  ...['router.lan', 'nas.home.arpa', 'metadata', 'postgres', 'server.localdomain.', 'ｌｏｃａｌｈｏｓｔ', 'wiki.corp'],
]
const refused = [
  ...[...local.flatMap(formsOf), ...reserved, ...localNames].map((host) => `https://${host}/`),
  ...faulty,
]

test('200 addresses and names that are not public, not https or not plain are refused before any look-up', async () => {
  expect(new Set(refused).size).toBeGreaterThanOrEqual(200)
  expect(refused.filter((url) => isAllowedUrl(url, options))).toEqual([])
  const resolve = () => expect.unreachable('looked up')
  for (const url of refused) await expect(request(url, { ...options, resolve }), url).rejects.toThrow(OutboundRefused)
})

test('a name is refused where any of its addresses is not public', async () => {
  const bare = (host: string) => host.replace(/[[\]]/g, '')
  for (const host of reserved.filter((host) => /[:]|\d+\.\d+\.\d+\.\d+/.test(host)))
    for (const addresses of [[bare(host)], ['93.184.215.14', bare(host)]])
      await expect(
        request('https://shop.example/', { ...options, resolve: async () => addresses }),
        host,
      ).rejects.toThrow(OutboundRefused)
})

test('public addresses are allowed', () => {
  const allowed = [
    'https://example.com',
    'https://example.com:8443/a?b=c',
    'https://local.example.com/',
    'https://internal.example.com./',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/',
  ]
  expect(allowed.filter((url) => !isAllowedUrl(url, options))).toEqual([])
})

test('a redirect to a private address, and a name that now resolves to one, are refused like a first address', async () => {
  const { status, headers } = await request(
    await serve((_request, response) => response.writeHead(302, { location: 'https://169.254.169.254/' }).end()),
    { ...options, isLoopbackAllowed: true },
  )
  expect(status).toBe(302)
  await expect(request(headers.location!, options)).rejects.toThrow(OutboundRefused)
  const answers = [['93.184.215.14'], ['10.0.0.1']]
  const resolve = async () => answers.shift()!
  const rebound = { ...options, resolve, milliseconds: 1 }
  await expect(request('https://rebinding.example/', rebound)).rejects.toThrow(OutboundFailed)
  await expect(request('https://rebinding.example/', rebound)).rejects.toThrow('leads to 10.0.0.1')
})

test('a connection goes to the address that was checked, whatever a second look-up says', async () => {
  const server = createServer()
  const connections: unknown[] = []
  server.on('connection', (socket) => connections.push(socket.destroy()))
  const { port } = await listening(server)
  const answers = [['127.0.0.1'], ['169.254.169.254']]
  const resolve = async () => answers.shift() ?? []
  const sent = request(`https://rebinding.example:${port}/`, { ...options, isLoopbackAllowed: true, resolve })
  await expect(sent).rejects.toThrow(OutboundFailed)
  expect([connections.length, answers.length]).toEqual([1, 1])
})

test('the local stand may call loopback, and nothing else over http', () => {
  const rule = { isLoopbackAllowed: true }
  expect(isAllowedUrl('http://127.0.0.1:9000/', rule)).toBe(true)
  expect(isAllowedUrl('http://[::1]:9000/', rule)).toBe(true)
  expect(isAllowedUrl('http://example.com/', rule)).toBe(false)
  expect(isAllowedUrl('http://10.0.0.1/', rule)).toBe(false)
  expect(isAllowedUrl('https://169.254.169.254/', rule)).toBe(false)
})

test('a redirect is an answer, and is not followed', async () => {
  const paths: unknown[] = []
  const url = await serve((request, response) => {
    paths.push(request.url)
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  const { status, headers } = await request(url, { ...options, isLoopbackAllowed: true })
  expect([status, headers.location, paths]).toEqual([302, '/elsewhere', ['/']])
})

test('a body is cut off at its limit, even during decompression', async () => {
  const local = { ...options, isLoopbackAllowed: true }
  const url = await serve(({ url }, response) => {
    if (url === '/bomb') response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(10_000_000)))
    else if (url === '/gzip') response.setHeader('content-encoding', 'gzip').end(gzipSync('small'))
    else if (url === '/endless')
      setImmediate(function more() {
        if (response.destroyed) return
        response.write('x'.repeat(600))
        setImmediate(more)
      })
    else response.end('plain')
  })
  for (const path of ['bomb', 'endless'])
    await expect(request(url + path, local), path).rejects.toThrow('The body has more than 1000 bytes')
  expect((await request(`${url}gzip`, local)).body.toString()).toBe('small')
  expect((await request(url, local)).body.toString()).toBe('plain')
  expect((await request(`${url}endless`, { ...local, maxBytes: 0 })).status).toBe(200)
})

describe('an exchange ends, whatever the server sends', () => {
  const local = { ...options, isLoopbackAllowed: true }
  const cases = (peers: Record<string, Parameters<typeof rawPeer>[0]>) =>
    Object.entries(peers).map(([name, act]) => ({ name, act }))

  test.concurrent.each(cases({ ...silent, ...unending }))('with its time: $name', async ({ act }) => {
    const answer = request(await rawPeer(act), { ...local, milliseconds: 150 })
    await expect(answer).rejects.toThrow('No answer within 0.15 seconds')
  })

  test.concurrent.each(cases(flooding))('with twice the bytes of a body: $name', async ({ act }) => {
    const answer = request(await rawPeer(act), { ...local, milliseconds: 60_000 })
    // The received bytes are checked every 50 ms, within which a flood may send the whole body.
    await expect(answer).rejects.toThrow(/The answer has more than 67536 bytes|The body has more than 1000 bytes/)
  })

  test.concurrent.each(cases(broken))('at once: $name', async ({ act }) => {
    const answer = request(await rawPeer(act), { ...local, milliseconds: 60_000 })
    await expect(answer).rejects.toThrow(/The connection failed \(\w+\)|It answers with another protocol/)
  })

  test('with its head, where the body is not read', async () => {
    for (const [name, act] of Object.entries(unending)) {
      const { status } = await request(await rawPeer(act), { ...local, maxBytes: 0 })
      expect(status, name).toBe(200)
    }
  })

  test('as a failure where the connection broke within a body without a length', async () => {
    const url = await rawPeer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\n\r\nThe first half', () => setImmediate(() => socket.resetAndDestroy())),
    )
    await expect(request(url, local)).rejects.toThrow('The connection failed (ECONNRESET)')
  })

  test('with its time, where the name server is silent', async () => {
    const resolve = () => new Promise<never>(() => {})
    const answer = request('https://silent.example/', { ...local, milliseconds: 50, resolve })
    await expect(answer).rejects.toThrow('No answer within 0.05 seconds')
  })
})

test('a body in chunks of a byte comes whole', async () => {
  const bytes = '1\r\nx\r\n'.repeat(1000)
  const url = await rawPeer((socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${bytes}0\r\n\r\n`),
  )
  const { body } = await request(url, { ...options, isLoopbackAllowed: true })
  expect(body.toString()).toBe('x'.repeat(1000))
})

async function serve(answer: NonNullable<Parameters<typeof createServer>[1]>): Promise<string> {
  return `http://127.0.0.1:${(await listening(createServer(answer))).port}/`
}

async function listening(server: Server): Promise<AddressInfo> {
  server.listen(0, '127.0.0.1')
  listeners.push(server)
  await once(server, 'listening')
  return server.address() as AddressInfo
}

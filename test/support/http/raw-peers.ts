import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

type Peer = (socket: Socket) => unknown

const head = (...fields: string[]) => ['HTTP/1.1 200 OK', ...fields, '', ''].join('\r\n')

/** Writes the start, then the piece repeatedly, as fast as the client reads. */
const flood =
  (start: string | Buffer, piece: string | Buffer): Peer =>
  (socket) => {
    socket.write(start)
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
      if (!socket.destroyed) socket.once('drain', more)
    }
    more()
  }

/** Writes the start, then the piece again and again, ever a little later. */
const drip =
  (start: string, piece: string): Peer =>
  (socket) => {
    if (start) socket.write(start)
    const timer = setInterval(() => socket.write(piece), 10)
    socket.once('close', () => clearInterval(timer))
  }

/** Servers that begin no answer, or none that ends. */
export const silent: Record<string, Peer> = {
  'not a byte': () => {},
  'half a head': (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Le'),
  'a head byte by byte': drip('HTTP/1.1 200 OK\r\nX: ', 'x'),
  'one 103 after the other': drip('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
}

/** Servers whose head is whole, and whose body is not. */
export const unending: Record<string, Peer> = {
  'a body byte by byte': drip(head('Content-Length: 1000000'), 'x'),
  'a body without a length, byte by byte': drip(head(), 'x'),
  'one trailer after the other': drip(`${head('Transfer-Encoding: chunked')}0\r\n`, 'X: y\r\n'),
}

/** Servers that waste a client's time. */
export const flooding: Record<string, Peer> = {
  'a flood of 100': flood('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)),
  'a flood of empty blocks': flood(
    Buffer.concat([Buffer.from(head('Content-Encoding: gzip')), gzipSync('').subarray(0, 10)]),
    Buffer.alloc(50_000, Buffer.from([0, 0, 0, 255, 255])),
  ),
  'a flood of chunk extensions': flood(
    head('Transfer-Encoding: chunked'),
    `1;${'a'.repeat(1000)}\r\nx\r\n`.repeat(100),
  ),
}

/** Servers whose answer cannot be one. */
export const broken: Record<string, Peer> = {
  'another protocol': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  '10,000 fields': (socket) => socket.write(head(...Array.from({ length: 10_000 }, (_, i) => `X-${i}: ${i}`))),
  'no HTTP': (socket) => socket.write('SSH-2.0-OpenSSH_9.7\r\n'),
  'an end at once': (socket) => socket.end(),
  'a reset at once': (socket) => socket.resetAndDestroy(),
}

/** A server on loopback until the test ends, which acts once it is asked. @returns its address */
export async function rawPeer(act: Peer): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('data', () => act(socket))
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

import { type AddressInfo, connect, createServer } from 'node:net'
import { Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** Stands between a client and a server on loopback, and delays what the server sends by a millisecond. @returns the URL by that way */
export async function withLatency(url: string): Promise<{ url: string; close(): void }> {
  const { hostname: host, port } = new URL(url)
  const relay = createServer((client) => {
    const server = connect({ host, port: Number(port), noDelay: true })
    client.setNoDelay()
    client.on('error', () => server.destroy()).pipe(server)
    server
      .on('error', () => client.destroy())
      .pipe(delaying())
      .pipe(client)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const relayed = new URL(url)
  relayed.port = `${(relay.address() as AddressInfo).port}`
  return { url: relayed.href, close: () => relay.close() }
}

function delaying(): Transform {
  return new Transform({
    transform(part, _, done) {
      void sleep(1).then(() => done(null, part))
    },
  })
}

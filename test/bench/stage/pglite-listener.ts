import { type AddressInfo, createServer } from 'node:net'
import { Transform } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { pgliteWire } from '../../../infra/local/database/pglite-wire.ts'

/** An empty PGlite that listens on TCP, for clients that take turns. @returns its URL */
export async function listenPglite(): Promise<string> {
  const pglite = await PGlite.create({ extensions: { vector } })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.pipe(wholeMessages()).pipe(pgliteWire(pglite)).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`
}

/** PGlite takes whole messages, TCP cuts long ones. The first message has no type before its length. */
function wholeMessages(): Transform {
  let parts: Buffer[] = []
  let received = 0
  let typeBytes = 0
  return new Transform({
    transform(part: Buffer, _, done) {
      parts.push(part)
      received += part.length
      for (;;) {
        if (parts[0] && parts[0].length < typeBytes + 4) parts = [Buffer.concat(parts)]
        if (received < typeBytes + 4) return done()
        const length = typeBytes + parts[0]!.readUInt32BE(typeBytes)
        if (received < length) return done()
        const all = Buffer.concat(parts)
        this.push(all.subarray(0, length))
        parts = [all.subarray(length)]
        received -= length
        typeBytes = 1
      }
    },
  })
}

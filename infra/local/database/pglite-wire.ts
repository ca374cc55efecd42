import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

/** A socket for `pg`. PGlite’s own adapter decodes values in a way that drops a leading U+FEFF; `pg` does not. */
export function pgliteWire(database: PGlite): Duplex {
  const wire = new Duplex({
    read() {},
    write(message: Buffer, _, done) {
      if (message[0] === terminate) return done()
      const onRawData = (bytes: Uint8Array) => void wire.push(Buffer.from(bytes))
      database.execProtocolRawStream(message, { onRawData }).then(() => done(), done)
    },
    final(done) {
      wire.push(null)
      done()
    },
  })
  const connect = () => {
    process.nextTick(() => wire.emit('connect'))
    return wire
  }
  return Object.assign(wire, {
    connect,
    setNoDelay: () => wire,
    setKeepAlive: () => wire,
    ref: () => wire,
    unref: () => wire,
  })
}

/** Ends the session, not the database. */
const terminate = 'X'.charCodeAt(0)

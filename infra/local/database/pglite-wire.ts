import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

/** After a panic, PGlite would acknowledge changes that it does not write. So its connections end, and no new one opens. */
export interface Health {
  panic?: Error
  onPanic?: (panic: Error) => void
}

/** A socket for `pg`. PGlite’s own adapter decodes values in a way that drops a leading U+FEFF; `pg` does not. */
export function pgliteWire(database: PGlite, health: Health = {}): Duplex {
  const wire = new Duplex({
    read() {},
    write(message: Buffer, _, done) {
      if (message[0] === terminate) return done()
      if (health.panic) return done(health.panic)
      const onRawData = (bytes: Uint8Array) => {
        if (health.panic) return
        const received = Buffer.from(bytes)
        health.panic = panicIn(received)
        if (!health.panic) return void wire.push(received)
        health.onPanic?.(health.panic)
        wire.destroy(health.panic)
      }
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

/** Finds a panic in an error message, whose fields end with NUL. */
function panicIn(received: Buffer): Error | undefined {
  if (!received.includes('VPANIC\0')) return undefined
  return new Error(/\0M([^\0]*)/.exec(received.toString())?.[1] ?? 'PANIC')
}

/** Ends the session, not the database. */
const terminate = 'X'.charCodeAt(0)

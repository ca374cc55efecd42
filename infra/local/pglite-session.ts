import type { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'
import { escapeIdentifier } from 'pg'

const protocol3 = 196608
const sslRequest = 80877103

/**
 * Speaks the Postgres protocol on `stream` for one session, which must have `database` to itself: PGlite is a single
 * backend, so its unnamed statement, transaction and settings are those of whoever speaks. The session's user is taken
 * on trust, and all that it leaves behind is undone at its end.
 */
export async function servePgliteSession(database: PGlite, stream: Duplex, owner: string): Promise<void> {
  const send = (bytes: Uint8Array) => void (stream.writable && stream.write(Buffer.from(bytes)))
  try {
    for await (const message of messages(stream)) {
      if (message.length === 8 && message.readInt32BE(4) === sslRequest) send(Buffer.from('N'))
      else if (isStartup(message)) await logIn(database, message, owner, send)
      else if (message[0] === code('X')) break
      // There are no logins here, but a driver that pipelines its start sends the password unasked.
      else if (message[0] !== code('p')) await database.execProtocolRawStream(message, { onRawData: send })
    }
  } catch {
    // The other side vanished or does not speak the protocol: either way the session is over.
  } finally {
    await exchange(database, frame('f', 'session ended\0'))
    await exchange(database, frame('S', ''))
    await exchange(database, frame('Q', 'rollback\0'))
    await exchange(database, frame('Q', 'discard all\0'))
    // The closing handshake: the driver takes a socket that is merely cut for an error.
    stream.resume().end()
  }
}

async function logIn(database: PGlite, startup: Buffer, owner: string, send: (bytes: Uint8Array) => void) {
  const parameters = startup.toString('utf8', 8).split('\0')
  const user = parameters[parameters.indexOf('user') + 1] ?? owner
  const greeting = await exchange(database, startup)
  const become = frame('Q', `set session authorization ${escapeIdentifier(user)}\0`)
  const answer = user === owner ? undefined : await exchange(database, become)
  send(answer?.[0] === code('E') ? answer : greeting)
}

/** `execProtocolRaw` would hand its answer to the listener of the last `execProtocolRawStream` instead. */
async function exchange(database: PGlite, message: Buffer): Promise<Buffer> {
  const answer: Buffer[] = []
  await database.execProtocolRawStream(message, { onRawData: (bytes) => answer.push(Buffer.from(bytes)) })
  return Buffer.concat(answer)
}

async function* messages(stream: Duplex): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let size = 0
  let wanted = 8
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size < wanted) continue
    let rest = Buffer.concat(chunks)
    for (wanted = lengthOf(rest); rest.length >= wanted; wanted = lengthOf(rest)) {
      yield rest.subarray(0, wanted)
      rest = rest.subarray(wanted)
    }
    chunks = [rest]
    size = rest.length
  }
}

/** Bytes of the message that `bytes` begins with, or of its head while that is not there yet. */
function lengthOf(bytes: Buffer): number {
  if (bytes.length < 5) return 5
  // What precedes the first typed message starts with its length, whose first byte is 0.
  const length = bytes[0] === 0 ? bytes.readInt32BE(0) : 1 + bytes.readInt32BE(1)
  if (length < 5) throw new Error('not a Postgres message')
  return length
}

const isStartup = (message: Buffer) => message[0] === 0 && message.readInt32BE(4) === protocol3

const code = (letter: string) => letter.charCodeAt(0)

function frame(type: string, body: string): Buffer {
  const head = Buffer.alloc(5, type)
  head.writeInt32BE(4 + Buffer.byteLength(body), 1)
  return Buffer.concat([head, Buffer.from(body)])
}
